"""A table that stops a read in the middle until the test lets it go on, and a look at what rivet does on the server."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from postgres_server import PostgresDatabase

LOCK = 4711
ROWS = 15_000
#: More than one of the driver's batches, of 16 MiB, lies before it.
STOPS_AT = 12_000
PATIENCE_S = 60.0


def make_gated(database: PostgresDatabase) -> None:
    """Makes the table ``numbers``, and the view ``gated`` of its rows, which waits for the lock in its middle."""
    database.run_sql(
        f"""
        CREATE FUNCTION gate(n int) RETURNS bool VOLATILE LANGUAGE plpgsql AS $$
        BEGIN
            IF n = {STOPS_AT} THEN PERFORM pg_advisory_xact_lock_shared({LOCK}); END IF;
            RETURN true;
        END $$;
        CREATE TABLE numbers AS SELECT g AS id, repeat(md5(g::text), 70) AS word FROM generate_series(1, {ROWS}) g;
        CREATE VIEW gated AS SELECT id, word FROM numbers WHERE gate(id);
        """
    )


@contextmanager
def holding(database: PostgresDatabase, *statements: str) -> Iterator[subprocess.Popen[str]]:
    """A session that has run statements in a transaction and keeps what it holds; :func:`say` gives it more to do."""
    command = [database.server.psql, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"]
    with subprocess.Popen(
        [*command, f"--dbname={database.url}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C", "PGAPPNAME": "holder"},
        encoding="utf-8",
    ) as session:
        say(session, "BEGIN", *statements)
        try:
            yield session
        finally:
            session.kill()


def say(session: subprocess.Popen[str], *statements: str) -> None:
    """Runs statements in a session of :func:`holding`, and waits until they are done."""
    assert session.stdin is not None
    assert session.stdout is not None
    session.stdin.write("".join(f"{statement};\n" for statement in statements) + "\\echo done\n")
    session.stdin.flush()
    while (line := session.stdout.readline()) != "done\n":
        assert line, "the session ended"


@contextmanager
def closed_gate(database: PostgresDatabase) -> Iterator[subprocess.Popen[str]]:
    """Reads of ``gated`` wait as long as the block lasts, or until the session commits."""
    with holding(database, f"SELECT pg_advisory_xact_lock({LOCK})") as session:
        yield session


def sessions(database: PostgresDatabase, where: str = "true") -> int:
    """How many connections of rivet's there are."""
    return int(
        database.psql_text(
            "SELECT count(*) FROM pg_stat_activity"
            f" WHERE application_name = 'rivet' AND datname = current_database() AND ({where})"
        )
    )


def until(seen: str, database: PostgresDatabase) -> None:
    """Waits until there is a connection of rivet's for which a condition is true."""
    _until(database, seen, wanted=True)


def until_gone(database: PostgresDatabase, seen: str = "true") -> None:
    """Waits until there is none."""
    _until(database, seen, wanted=False)


def _until(database: PostgresDatabase, seen: str, *, wanted: bool) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while bool(sessions(database, seen)) is not wanted:
        assert time.monotonic() < give_up, f"rivet's connections: {seen} never became {wanted}"
        time.sleep(0.1)


#: Rivet waits at the gate, or for a lock on a table.
WAITS_AT_GATE = "wait_event = 'advisory'"
WAITS_FOR_TABLE = "wait_event = 'relation'"
