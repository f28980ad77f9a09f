"""Where the program of PgBouncer lies on this machine. Standard library only."""

from __future__ import annotations

import os
import shutil


def find_pgbouncer() -> str | None:
    """The program, or None; Debian keeps it where an ordinary user's PATH does not lead."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
