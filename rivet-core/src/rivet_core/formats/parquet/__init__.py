"""The format ``parquet``: typed files that every reader can be trusted with."""
