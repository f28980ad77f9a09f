"""``python -m rivet_core`` is the command ``rivet``."""

from __future__ import annotations

import sys

from rivet_core.cli import main

if __name__ == "__main__":
    sys.exit(main())
