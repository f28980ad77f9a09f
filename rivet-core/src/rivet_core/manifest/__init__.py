"""The manifest: its model, its exact bytes, checksums and verification; pure, it never touches a destination."""
