"""Which tables and views a database file has, from SQLite's own catalogue; nothing is counted.

Sizes are left out: the only table that knows them walks through every page of the file.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from rivet_core.schema import RelationFacts, RelationKind
from rivet_core.sources.sqlite.catalogue import estimate
from rivet_core.sources.sqlite.faults import unknown
from rivet_core.types import Table

#: A virtual table reads like any other; the shadow tables behind one are its own business.
_KINDS: Final = {"table": RelationKind.TABLE, "virtual": RelationKind.TABLE, "view": RelationKind.VIEW}


def relations_of(connection: sqlite3.Connection) -> tuple[RelationFacts, ...]:
    """Return the relations of the main database, by name."""
    listed = connection.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
    # SQLite keeps every name that begins so for itself.
    found = sorted((name, _KINDS[kind]) for name, kind in listed if kind in _KINDS and name[:7].lower() != "sqlite_")
    estimates = _estimates(connection)
    return tuple(
        RelationFacts(
            table=Table(name),
            kind=kind,
            estimated_rows=estimates.get(name),
            # Views have none, and asking for the columns of a broken one is an error.
            primary_key=_primary_key(connection, name) if kind is RelationKind.TABLE else (),
        )
        for name, kind in found
    )


def _primary_key(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    sql = "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE pk ORDER BY pk"
    try:
        return tuple(column for (column,) in connection.execute(sql, (name,)))
    except sqlite3.OperationalError as error:
        if not unknown(error):
            raise
        # A virtual table whose module only the application has.
        return ()


def _estimates(connection: sqlite3.Connection) -> dict[str, int]:
    """Return what the last ``ANALYZE`` saw, by table."""
    try:
        rows = connection.execute("SELECT tbl, stat FROM sqlite_stat1").fetchall()
    except sqlite3.OperationalError as error:
        if not unknown(error):
            raise
        # Nobody ever ran it.
        return {}
    found: dict[str, int] = {}
    for table, stat in rows:
        number = estimate(stat)
        if number is not None:
            found[table] = max(number, found.get(table, 0))
    return found
