"""The runner ``full``: the whole relation as one unit."""
