"""The built-in formats: each stands on the public contract alone, as a stranger's would."""
