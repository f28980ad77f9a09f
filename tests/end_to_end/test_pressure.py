"""An export that adapts gives way to a server that has to make checkpoints before their time, and loses nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from e2e_command import Place, export, table
from e2e_reader import Delivered
from postgres_server import PostgresDatabase

ROWS = 60_000


@contextmanager
def requested_checkpoints(database: PostgresDatabase) -> Iterator[None]:
    """One after the other, as heavy writing makes them."""
    over = threading.Event()

    def request() -> None:
        while not over.wait(0.05):
            database.run_sql("CHECKPOINT")

    thread = threading.Thread(target=request)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("adaptive", [True, False])
def test_an_export_gives_way_to_a_server_under_pressure(
    place: Place, postgres_database: PostgresDatabase, *, adaptive: bool
) -> None:
    postgres_database.run_sql(f"CREATE TABLE many AS SELECT g AS id FROM generate_series(1, {ROWS}) g")
    # A pause after each batch lets some of the checkpoints come in between.
    tuning = {"adaptive": adaptive, "batch_size": 1000, "throttle_ms": 50}
    place.configure({"url": postgres_database.url, "tuning": tuning}, [export("many", table("many"))])
    with requested_checkpoints(postgres_database):
        done = place.run()
    assert done.code == 0
    assert ("source_under_pressure" in done.err) is adaptive
    assert len(Delivered.at(place.prefix("many")).rows()) == ROWS
