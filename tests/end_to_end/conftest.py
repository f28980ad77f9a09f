"""Places to run the command in, and databases that several tests only read."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
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
    made: list[str] = []

    def make() -> PostgresDatabase:
        name = f"rivet_whole_{secrets.token_hex(6)}"
        postgres_server.psql_text(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        made.append(name)
        return PostgresDatabase(name=name, url=postgres_server.database_url(name), server=postgres_server)

    yield make
    for name in made:
        postgres_server.psql_text(f"DROP DATABASE {name} WITH (FORCE)")


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
