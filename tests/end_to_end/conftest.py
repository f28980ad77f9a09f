"""Places to run the command in, and databases that several tests only read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from e2e_command import Place, export, table
from e2e_gate import make_gated
from postgres_server import PostgresDatabase, PostgresServer


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(folder=tmp_path)


@pytest.fixture(scope="session")
def make_database(postgres_server: PostgresServer) -> Iterator[Callable[[], PostgresDatabase]]:
    """Makes databases that live as long as the session."""
    with ExitStack() as made:
        yield lambda: made.enter_context(postgres_server.database("rivet_whole"))


@pytest.fixture
def gated(postgres_database: PostgresDatabase, place: Place) -> PostgresDatabase:
    """A database whose one export stops in its middle while :func:`e2e_gate.closed_gate` lasts."""
    make_gated(postgres_database)
    # Nothing but the gate ends the waiting.
    place.configure(
        {"url": postgres_database.url, "tuning": {"max_retries": 2, "retry_backoff_ms": 100, "lock_timeout_s": 0}},
        [export("gated", table("gated"))],
    )
    return postgres_database
