"""A real SQLite file for each test, and a short way to read it through the source."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.sources.sqlite.options import SqliteOptions
from rivet_core.sources.sqlite.source import SqliteSource
from rivet_core.types import ColumnRules, Relation, Table

PLAIN = ColumnRules()


@attrs.frozen
class Database:
    """One file, written by its own connection and read by the source."""

    path: Path
    own: sqlite3.Connection
    source: SqliteSource

    def run(self, script: str) -> None:
        self.own.executescript(script)

    def batches(self, relation: Relation, rules: ColumnRules = PLAIN, **request: Any) -> list[Batch]:
        columns = self.source.describe(relation, rules).columns
        with self.source.read(ReadRequest(relation=relation, columns=columns, **request), ReadContext()) as batches:
            found = list(batches)
        for batch in found:
            batch.data.validate(full=True)
        return found

    def rows(self, relation: Relation, rules: ColumnRules = PLAIN, **request: Any) -> list[tuple[Any, ...]]:
        pieces = [batch.data for batch in self.batches(relation, rules, **request)]
        return [tuple(row.values()) for piece in pieces for row in piece.to_pylist()]

    def column(self, values: list[Any], declared: str, rules: ColumnRules = PLAIN) -> list[Any]:
        """Store values in a column of a declared type and read them back."""
        self.own.execute("DROP TABLE IF EXISTS t")
        self.own.execute(f"CREATE TABLE t (c {declared})")
        self.own.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        return [row[0] for row in self.rows(Table("t"), rules)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "shop.db"
    own = sqlite3.connect(path, isolation_level=None)
    own.execute("PRAGMA journal_mode = wal")
    source = SqliteSource(SqliteOptions(path=path))
    yield Database(path, own, source)
    source.close()
    own.close()
