"""The built-in destinations: each stands on the public contract alone, as a stranger's would."""
