"""Observers that come with rivet; they see events and nothing else."""
