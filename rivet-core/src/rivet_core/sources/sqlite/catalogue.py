"""What SQLite's own catalogue says of a relation; facts only, no decisions about types."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.schema import Key
from rivet_core.sources.sqlite.faults import unknown
from rivet_core.sources.sqlite.names import from_clause, reference, schema_and_name
from rivet_core.types import Query, Relation, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

_HIDDEN_VIRTUAL = 1
_ROWS: Final = re.compile(r"\s*([0-9]{1,18})(?:\s|$)", re.ASCII)


@attrs.frozen(kw_only=True)
class CatalogueColumn:
    """One column, as declared.

    :param declared: the declared type; empty for none, and for most expressions of views and queries.
    :param guarded: SQLite itself lets only values of the declared storage class in.
    """

    name: str
    declared: str
    not_null: bool
    guarded: bool


def relation_exists(connection: sqlite3.Connection, relation: Table) -> bool:
    """Return whether the table or view exists under exactly this name."""
    sql = "SELECT 1 FROM pragma_table_list WHERE schema = ? AND name = ?"
    return connection.execute(sql, schema_and_name(relation)).fetchone() is not None


def is_stored(connection: sqlite3.Connection, relation: Relation) -> bool:
    """Whether its rows lie in the file as they are, so that one state gives them twice in one order.

    A query, a view or a virtual table may draw lots: ``ORDER BY random()``.
    """
    if isinstance(relation, Query):
        return False
    sql = "SELECT 1 FROM pragma_table_list WHERE schema = ? AND name = ? AND type = 'table'"
    return connection.execute(sql, schema_and_name(relation)).fetchone() is not None


def similar_names(connection: sqlite3.Connection, relation: Table) -> tuple[str, ...]:
    """Return the relations whose names differ from this one by case alone."""
    sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?)"
    return tuple(name for (name,) in connection.execute(sql, (relation.name,)))


def columns_of(connection: sqlite3.Connection, relation: Relation) -> tuple[CatalogueColumn, ...]:
    """Return the relation's columns in order, generated ones too; empty when it does not exist."""
    schema, name = schema_and_name(relation)
    sql = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?, ?)'
    rows = connection.execute(sql, (name, schema)).fetchall()
    strict, rowid = _table_facts(connection, relation)
    alias = _rowid_alias(connection, relation, rows) if rowid else None
    return tuple(
        CatalogueColumn(
            name=column,
            declared=declared,
            not_null=bool(not_null) or column == alias,
            guarded=column == alias or (strict and declared.upper() != "ANY"),
        )
        for column, declared, not_null, _, hidden in rows
        if hidden != _HIDDEN_VIRTUAL
    )


def keys_of(connection: sqlite3.Connection, relation: Relation) -> tuple[Key, ...]:
    """Return the keys that an index serves in ascending binary order, the primary key first."""
    if isinstance(relation, Query):
        return ()
    schema, name = schema_and_name(relation)
    not_null = {column.name for column in columns_of(connection, relation) if column.not_null}
    sql = 'SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?, ?)'
    rows = connection.execute(sql, (name, schema)).fetchall()
    alias = _rowid_alias(connection, relation, rows) if _table_facts(connection, relation)[1] else None
    found = [] if alias is None else [Key(columns=(alias,), unique=True, not_null=True, primary=True)]
    sql = 'SELECT name, "unique", origin, partial FROM pragma_index_list(?, ?)'
    for index, unique, origin, partial in connection.execute(sql, (name, schema)).fetchall():
        columns = _index_columns(connection, schema, index)
        if columns:
            found.append(
                Key(
                    columns=columns,
                    unique=bool(unique),
                    not_null=not_null.issuperset(columns),
                    full=not partial,
                    primary=origin == "pk",
                )
            )
    return tuple(sorted(found, key=lambda key: (not key.primary, not key.pageable, key.columns)))


def estimated_rows(connection: sqlite3.Connection, relation: Relation) -> int | None:
    """Return the number of rows that the last ``ANALYZE`` saw, or None."""
    if isinstance(relation, Query):
        return None
    try:
        rows = connection.execute("SELECT stat FROM sqlite_stat1 WHERE tbl = ?", (relation.name,)).fetchall()
    except sqlite3.OperationalError as error:
        if not unknown(error):
            raise
        # Nobody ever ran ANALYZE.
        return None
    return max((number for (stat,) in rows if (number := estimate(stat)) is not None), default=None)


def estimate(stat: object) -> int | None:
    """Return the number of rows in a cell of ``sqlite_stat1``, in which anybody may write anything, or None."""
    number = _ROWS.match(stat) if isinstance(stat, str) else None
    return int(number[1]) if number else None


def compares_bytes(connection: sqlite3.Connection, relation: Relation, column: str) -> bool:
    """Return whether the column's own collation is ``BINARY``.

    No pragma tells a column's collation, but a compound select hands it on from its first part: a letter and a
    trailing blank show which of SQLite's three it is.
    """
    name = reference(relation, column)
    probe = f"SELECT {name} AS c FROM {from_clause(relation)} WHERE 0 UNION ALL SELECT 'a'"
    try:
        row = connection.execute(f"SELECT c = 'A' OR c = 'a ' FROM ({probe})").fetchone()
    except sqlite3.OperationalError as error:
        if not unknown(error):
            raise
        # A collation that only the application has.
        return False
    return not row[0]


def _table_facts(connection: sqlite3.Connection, relation: Relation) -> tuple[bool, bool]:
    """Return whether it is STRICT, and whether it is a table with a rowid."""
    sql = "SELECT strict, type = 'table' AND NOT wr FROM pragma_table_list WHERE schema = ? AND name = ?"
    row = connection.execute(sql, schema_and_name(relation)).fetchone()
    return (bool(row[0]), bool(row[1])) if row else (False, False)


def _rowid_alias(
    connection: sqlite3.Connection, relation: Relation, rows: Iterable[tuple[str, str, int, int, int]]
) -> str | None:
    """Return the column that is another name of the rowid: the one primary key that needs no index of its own."""
    primary = [name for name, _, _, pk, _ in rows if pk]
    schema, table = schema_and_name(relation)
    sql = "SELECT 1 FROM pragma_index_list(?, ?) WHERE origin = 'pk'"
    if len(primary) != 1 or connection.execute(sql, (table, schema)).fetchone():
        return None
    return primary[0]


def _index_columns(connection: sqlite3.Connection, schema: str, index: str) -> tuple[str, ...]:
    """Return an index's columns, or nothing when it cannot serve ascending binary order."""
    sql = 'SELECT name, "desc", coll FROM pragma_index_xinfo(?, ?) WHERE key ORDER BY seqno'
    rows = connection.execute(sql, (index, schema)).fetchall()
    directions = {desc for _, desc, _ in rows}
    if len(directions) != 1 or any(name is None or coll != "BINARY" for name, _, coll in rows):
        return ()
    return tuple(name for name, _, _ in rows)
