"""The format ``csv``: exact text of every scalar, with NULL and the empty string told apart."""
