"""The read-only connection to the file, and the temporary view that a user's query becomes."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from rivet_core.errors import EnvironmentFailure
from rivet_core.sources.sqlite.faults import translated, unusable
from rivet_core.sources.sqlite.names import quote, view_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rivet_core.types import Query

#: Seconds that SQLite itself waits for a lock; longer waits are the engine's retries.
_BUSY_SECONDS = 5.0


def connect(file: Path) -> sqlite3.Connection:
    """Open the file; nothing is ever written to it.

    :raises EnvironmentFailure: when it is not there or is no database.
    """
    path = file.absolute()
    if not path.is_file():
        msg = f"there is no database file {path}"
        raise EnvironmentFailure(msg, code="RIVET_SOURCE_CONNECT_FAILED", remedy="Mend source.path.")
    try:
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode=ro",
            uri=True,
            isolation_level=None,  # transactions are begun where they are meant
            check_same_thread=False,  # one thread at a time is the caller's promise; cancel comes from another
            timeout=_BUSY_SECONDS,
        )
    except sqlite3.Error as error:
        raise unusable(path, error) from error
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise unusable(path, error) from error
    return connection


def prepare_query(connection: sqlite3.Connection, query: Query) -> None:
    """Make the view that stands for a query, once a connection.

    A view holds exactly one SELECT without parameters, so nothing else can hide in the text, and the columns that it
    only hands on keep their declared types. It lives in the connection's memory, never in the file.
    """
    sql = f"CREATE TEMP VIEW IF NOT EXISTS {quote(view_name(query))} AS {query.text}"
    with translated(query):
        connection.execute(sql)


def refuse_query(query: Query) -> None:
    """Refuse what :func:`prepare_query` would refuse, without the file.

    :raises EnvironmentFailure: when the text is not one SELECT without parameters.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        prepare_query(connection, query)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Let everything in the block see one state; inside another transaction, that one's."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN DEFERRED")
    try:
        yield
    finally:
        connection.rollback()
