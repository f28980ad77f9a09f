"""One export from plan to outcome."""
