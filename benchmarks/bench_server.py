"""The server that is read: of the kind that the tests start, with the settings of its distribution otherwise."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_server import PostgresServer

_SERVERS = Path(__file__).resolve().parents[1] / "tests" / "servers"


@contextmanager
def started() -> Iterator[PostgresServer]:
    """Start a server on the loopback, in a temporary folder, as an ordinary user, and end it with the block."""
    # Plain modules of the tests, which nobody installs.
    sys.path.insert(0, str(_SERVERS))
    from postgres_binaries import OLDEST, find_binaries
    from postgres_server import running

    binaries = find_binaries()
    if binaries is None:
        sys.exit(f"no PostgreSQL {OLDEST} or newer: install the package postgresql")
    with running(binaries) as server:
        yield server
