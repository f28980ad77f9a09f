"""The commit ledger: the one place where anything becomes durable."""
