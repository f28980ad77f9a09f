"""Where the programs of a PostgreSQL server lie on this machine. Standard library only."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

OLDEST = 15
NEEDED = ("initdb", "pg_isready", "postgres", "psql")


def find_binaries() -> Path | None:
    """The folder with the newest server that is new enough, or None."""
    usable = [folder for folder in candidates() if all((folder / name).exists() for name in NEEDED)]
    versions = [(version, folder) for folder in usable if (version := major(folder)) >= OLDEST]
    return max(versions)[1] if versions else None


def candidates() -> Iterator[Path]:
    # Debian keeps servers out of PATH, one folder a version; what is in PATH may be a link to there.
    yield from Path("/usr/lib/postgresql").glob("*/bin")
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent


def major(folder: Path) -> int:
    done = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"(\d+)", done.stdout)
    return int(match.group(1)) if match else 0
