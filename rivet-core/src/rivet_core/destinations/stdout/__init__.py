"""The destination ``stdout``: one part on standard output, for pipes; nothing is kept and no position moves."""
