"""What the tests of the repository look at."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def files() -> tuple[Path, ...]:
    """Every file that is, or could be, committed."""
    # A clone may belong to another user than the one who tests it.
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


@pytest.fixture(scope="session")
def metadata() -> dict[str, dict[str, Any]]:
    """The project table of each distribution, by name."""
    tables = [tomllib.loads(path.read_text()) for path in sorted(ROOT.glob("rivet-*/pyproject.toml"))]
    return {table["project"]["name"]: table["project"] for table in tables}
