"""The lines of text files as a source for rivet."""
