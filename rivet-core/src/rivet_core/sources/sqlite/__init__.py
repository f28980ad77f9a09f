"""The source ``sqlite``: one database file, opened read-only, with nothing but the standard library."""
