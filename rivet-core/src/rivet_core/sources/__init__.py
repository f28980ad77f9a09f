"""The built-in sources: each stands on the public contract alone, as a stranger's would."""
