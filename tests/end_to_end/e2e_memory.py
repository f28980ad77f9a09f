"""Runs a command and prints, behind its own output, the peak of its memory; started as a process of its own.

A parent knows only the largest of all its children, so each measured command gets a parent that has one.
"""

from __future__ import annotations

import resource
import subprocess
import sys

if __name__ == "__main__":
    done = subprocess.run([sys.executable, "-m", "rivet_core", *sys.argv[1:]], stdout=subprocess.DEVNULL, check=False)
    # Linux counts in KiB.
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
    sys.exit(done.returncode)
