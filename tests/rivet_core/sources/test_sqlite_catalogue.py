"""What SQLite says of itself: identity, keys, bounds, borders, the clock, and what is not there."""

from __future__ import annotations

import datetime as dt
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rivet_core.errors import EnvironmentFailure, UsageError
from rivet_core.requests import ColumnKey, ReadRequest
from rivet_core.schema import Bounds, Key
from rivet_core.sources.sqlite.options import SqliteOptions
from rivet_core.sources.sqlite.plugin import open_later, rivet_sources
from rivet_core.sources.sqlite.source import SqliteSource
from rivet_core.types import ColumnRules, Position, Query, Secret, Table, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Database


def test_one_file_has_one_identity_by_whatever_path(database: Database, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(database.path)
    for options in (
        SqliteOptions(path=link),
        SqliteOptions(path=tmp_path / "." / "shop.db"),
        SqliteOptions(url=Secret(f"sqlite:///{database.path}")),
    ):
        source = SqliteSource(options)
        assert source.identity() == database.source.identity()
        source.close()


def test_a_path_may_hold_what_a_url_may_not(tmp_path: Path, database: Database) -> None:
    database.run("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (7); PRAGMA wal_checkpoint(TRUNCATE)")
    odd = tmp_path / "50% of a?b#c.db"
    odd.write_bytes(database.path.read_bytes())
    source = SqliteSource(SqliteOptions(path=odd))
    assert [column.name for column in source.describe(Table("t"), ColumnRules()).columns] == ["a"]
    source.close()


def test_keys_are_those_that_serve_ascending_binary_order(database: Database) -> None:
    database.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE, b TEXT COLLATE NOCASE UNIQUE, c INT,"
        " d INT NOT NULL);"
        "CREATE INDEX plain ON t (c); CREATE UNIQUE INDEX partial ON t (d) WHERE d > 0;"
        "CREATE INDEX mixed ON t (c, d DESC); CREATE INDEX expression ON t (c + d);"
        "CREATE UNIQUE INDEX pair ON t (d, a)"
    )
    assert database.source.keys(Table("t")) == (
        Key(columns=("id",), unique=True, not_null=True, primary=True),
        Key(columns=("a",), unique=True, not_null=True),
        Key(columns=("d", "a"), unique=True, not_null=True),
        Key(columns=("c",), unique=False, not_null=False),
        Key(columns=("d",), unique=True, not_null=True, full=False),
    )


@pytest.mark.parametrize(
    ("table", "not_null"),
    [
        ("(a TEXT PRIMARY KEY)", False),  # SQLite lets NULL into such a key
        ("(a TEXT PRIMARY KEY) WITHOUT ROWID", True),
        ("(a TEXT PRIMARY KEY) STRICT", True),
        ("(a INTEGER PRIMARY KEY)", True),
        ("(a INT PRIMARY KEY)", False),
    ],
)
def test_a_primary_key_is_pageable_where_sqlite_keeps_null_out(database: Database, table: str, not_null: bool) -> None:  # noqa: FBT001 - a parameter
    database.run(f"CREATE TABLE t {table}")
    (key,) = database.source.keys(Table("t"))
    assert (key.primary, key.pageable) == (True, not_null)


def test_queries_and_views_have_no_keys(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t")
    assert database.source.keys(Table("v")) == database.source.keys(Query("SELECT * FROM t")) == ()


def test_bounds_are_the_extremes_and_the_nulls(database: Database) -> None:
    database.run("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t (a) VALUES (3), (NULL), (-7)")
    assert database.source.bounds(Table("t"), "a") == Bounds(
        low=Position("int64", "-7"), high=Position("int64", "3"), nulls=1
    )
    assert database.source.bounds(Table("t"), "b") is None


def test_split_cuts_into_equal_shares_of_the_rows(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY)")
    database.own.executemany("INSERT INTO t VALUES (?)", [(number**3,) for number in range(1, 101)])
    borders = database.source.split(ReadRequest(relation=Table("t")), (ColumnKey("id"),), 4)
    assert [round(int(border.value) ** (1 / 3)) for border in borders] == [25, 50, 75]


def test_split_of_few_or_equal_rows_has_few_borders(database: Database) -> None:
    database.run("CREATE TABLE t (a); INSERT INTO t VALUES (1), (1), (1), (NULL)")
    assert database.source.split(ReadRequest(relation=Table("t")), (ColumnKey("a"),), 9) == (Position("int64", "1"),)
    database.run("DELETE FROM t")
    assert database.source.split(ReadRequest(relation=Table("t")), (ColumnKey("a"),), 4) == ()


def test_estimates_are_there_when_somebody_analysed(database: Database) -> None:
    database.run("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
    assert database.source.describe(Table("t"), ColumnRules()).estimated_rows is None
    database.run("ANALYZE")
    assert database.source.describe(Table("t"), ColumnRules()).estimated_rows == 2


def test_the_clock_is_aware_and_in_utc(database: Database) -> None:
    now = database.source.now()
    assert now.tzinfo is dt.UTC
    assert abs(now - dt.datetime.now(dt.UTC)) < dt.timedelta(seconds=5)


@pytest.mark.parametrize(("name", "hint"), [("T", "Did you mean t?"), ("nowhere", "Check the name")])
def test_a_missing_table_is_named_with_a_hint(database: Database, name: str, hint: str) -> None:
    database.run("CREATE TABLE t (a)")
    with pytest.raises(EnvironmentFailure) as caught:
        database.source.describe(Table(name), ColumnRules())
    assert caught.value.code == "RIVET_SOURCE_TABLE_NOT_FOUND"
    assert hint in str(caught.value)


@pytest.mark.parametrize("kind", ["missing", "folder", "no database"])
def test_what_is_no_database_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x.db"
    if kind == "folder":
        path.mkdir()
    elif kind == "no database":
        path.write_bytes(b"hello, this is text\n" * 100)
    source = SqliteSource(SqliteOptions(path=path))
    with pytest.raises(EnvironmentFailure) as caught:
        source.check()
    source.close()
    assert caught.value.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert not (path.exists() and kind == "missing"), "looking makes no file"


def test_a_damaged_file_is_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"hello, this is text\n" * 100)
    source = SqliteSource(SqliteOptions(path=path))
    with pytest.raises(EnvironmentFailure) as caught:
        source.check()
    assert source.verdict(caught.value) is Verdict.CONFIG


@pytest.mark.parametrize(
    "options",
    [{}, {"url": Secret("sqlite://host/x.db")}, {"url": Secret("postgresql:///x.db")}, {"url": Secret("sqlite:///")}],
)
def test_options_name_one_local_file(options: dict[str, Secret]) -> None:
    with pytest.raises(UsageError):
        SqliteOptions(**options)


def test_the_factory_travels_to_another_process(database: Database) -> None:
    factory, options = pickle.loads(pickle.dumps((open_later, SqliteOptions(path=database.path))))
    source = factory(options)
    source.check()
    source.close()


def test_declaring_the_source_imports_no_driver() -> None:
    code = (
        "import sys, rivet_core.sources.sqlite.plugin as p; p.rivet_sources();"
        "print([name for name in ('sqlite3', 'numpy.ma', 'pyarrow.parquet', 'pyarrow.compute') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_declaration_knows_its_scheme() -> None:
    (declared,) = rivet_sources()
    assert (declared.kind, declared.schemes) == ("sqlite", ("sqlite",))


def test_a_query_with_two_columns_of_one_name_is_refused_and_not_renamed(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER)")
    for text in ("SELECT 1 AS a, 2 AS a", "SELECT x.id, y.id FROM t x JOIN t y USING (a)"):
        with pytest.raises(UsageError) as caught:
            database.source.describe(Query(text), ColumnRules())
        assert caught.value.code == "RIVET_TYPE_UNSAFE_MAPPING"
        assert "several columns are called" in caught.value.message


def test_a_column_may_have_a_name_that_a_twin_would_get(database: Database) -> None:
    columns = database.source.describe(Query('SELECT 1 AS "at:1", 2 AS "10:30"'), ColumnRules()).columns
    assert [column.name for column in columns] == ["at:1", "10:30"]
