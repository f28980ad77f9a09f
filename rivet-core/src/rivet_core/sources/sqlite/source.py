"""The source: one SQLite file, one connection, every read in a transaction of its own."""

from __future__ import annotations

import os
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rivet_core.errors import EnvironmentFailure, InternalError, Place, SnapshotGone
from rivet_core.schema import Bounds, Key, RelationFacts, TableSchema
from rivet_core.sources.sqlite import catalogue, faults, statement
from rivet_core.sources.sqlite.connection import connect, prepare_query, transaction
from rivet_core.sources.sqlite.describe import delivered
from rivet_core.sources.sqlite.fetching import Rows
from rivet_core.sources.sqlite.keyfacts import key_columns, key_facts
from rivet_core.sources.sqlite.listing import relations_of
from rivet_core.sources.sqlite.positions import position
from rivet_core.sources.sqlite.reading import batches
from rivet_core.types import ColumnRules, Position, Query, Relation, SourceIdentity, Verdict
from rivet_core.types.foreign_text import utf8

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from rivet_core.protocols import Batch
    from rivet_core.requests import Keys, ReadContext, ReadRequest
    from rivet_core.sources.sqlite.options import SqliteOptions


class SqliteSource:
    """An SQLite file as a source.

    Its identity is the file's resolved path: SQLite has no name of its own, and a file that is replaced every night
    must stay the same database. A file that is moved is another one.
    """

    def __init__(self, options: SqliteOptions) -> None:
        self._file = options.file()
        self._connection: sqlite3.Connection | None = None

    def identity(self) -> SourceIdentity:
        connection = self._open()
        with faults.translated(None):
            rows = connection.execute("PRAGMA database_list").fetchall()
        file = next(file for _, name, file in rows if name == "main")
        # SQLite answers in UTF-8 and the state keeps UTF-8, whatever the locale calls files by.
        path = str(Path(os.fsdecode(file.encode())).resolve())
        return SourceIdentity(engine="sqlite", server="file", database=utf8(path) or path)

    def check(self) -> None:
        self._open()

    def relations(self) -> tuple[RelationFacts, ...]:
        connection = self._open()
        with faults.translated(None), transaction(connection):
            return relations_of(connection)

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        connection = self._relation(relation)
        with faults.translated(relation, describing=True):
            columns = catalogue.columns_of(connection, relation)
            estimate = catalogue.estimated_rows(connection, relation)
        return TableSchema(columns=delivered(relation, columns, rules), estimated_rows=estimate)

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        with faults.translated(relation):
            return catalogue.keys_of(self._relation(relation), relation)

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        connection = self._relation(relation)
        with faults.translated(relation):
            facts = key_facts(connection, relation, (column,))
            asked = statement.extremes(relation, column, facts)
            low, high, nulls = connection.execute(asked.sql, asked.parameters).fetchone()
        return None if low is None else Bounds(low=position((low,)), high=position((high,)), nulls=nulls)

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        relation = _relation_of(request)
        connection = self._relation(relation)
        with faults.translated(relation), transaction(connection):
            facts = key_facts(connection, relation, key_columns(request, keys))
            asked = statement.count(request, relation, facts)
            total = connection.execute(asked.sql, asked.parameters).fetchone()[0]
            rows = tuple(sorted({total * share // n for share in range(1, n)} - {0, total}))
            if not rows:
                return ()
            asked = statement.borders(request, relation, keys, facts, rows)
            found = connection.execute(asked.sql, asked.parameters).fetchall()
        distinct = dict.fromkeys(row for row in found if None not in row)
        return tuple(map(position, distinct))

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        del context
        relation = _relation_of(request)
        connection = self._relation(relation)
        with faults.translated(relation):
            facts = key_facts(connection, relation, key_columns(request, request.order))
            asked = statement.count(request, relation, facts)
            number = connection.execute(asked.sql, asked.parameters).fetchone()[0]
        return int(number)

    def now(self) -> datetime:
        connection = self._open()
        with faults.translated(None):
            text = connection.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')").fetchone()[0]
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        if context.snapshot is not None:
            msg = "SQLite has no shared snapshots"
            raise SnapshotGone(
                msg, code="RIVET_SOURCE_SNAPSHOT_GONE", remedy="Start the run anew; each read has one state of its own."
            )
        relation = _relation_of(request)
        connection = self._relation(relation)
        cursor = connection.cursor()
        with transaction(connection):
            rows = _batches(cursor, request, relation)
            try:
                yield rows
            finally:
                rows.close()
                cursor.close()

    def cancel(self) -> None:
        connection = self._connection
        # Without a statement under way, SQLite takes no notice.
        if connection is not None:
            try:
                connection.interrupt()
            except sqlite3.ProgrammingError:  # closed in this very moment
                return

    def verdict(self, error: BaseException) -> Verdict:
        return faults.verdict(error)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self._file)
        return self._connection

    def _relation(self, relation: Relation) -> sqlite3.Connection:
        """Return the connection, on which the relation can now be named."""
        connection = self._open()
        if isinstance(relation, Query):
            prepare_query(connection, relation)
            return connection
        with faults.translated(relation):
            exists = catalogue.relation_exists(connection, relation)
            similar = () if exists else catalogue.similar_names(connection, relation)
        if not exists:
            hint = (
                f"Did you mean {', '.join(similar)}?" if similar else "Check the name; SQLite has no schemas but main."
            )
            msg = f"there is no table or view {relation}"
            raise EnvironmentFailure(
                msg, code="RIVET_SOURCE_TABLE_NOT_FOUND", place=Place(relation=str(relation)), remedy=hint
            )
        return connection


def _batches(cursor: sqlite3.Cursor, request: ReadRequest, relation: Relation) -> Generator[Batch, None, None]:
    connection = cursor.connection
    with faults.translated(relation):
        facts = key_facts(connection, relation, key_columns(request, request.order))
        asked = statement.select(request, relation, facts)
        repeatable = catalogue.is_stored(connection, relation)
        rows = Rows(cursor, asked, request.budget.bytes, repeatable=repeatable)
        yield from batches(rows, request, relation, asked.flags)


def _relation_of(request: ReadRequest) -> Relation:
    if request.relation is None:
        msg = "SQLite reads relations, and the request names none"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    return request.relation
