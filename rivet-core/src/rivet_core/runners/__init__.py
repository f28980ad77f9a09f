"""The built-in runners: each stands on the public contract alone, as a stranger's would."""
