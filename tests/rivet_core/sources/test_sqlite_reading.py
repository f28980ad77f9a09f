"""Reads of SQLite: order, terms, marks, pages, one consistent state, and how a read ends."""

from __future__ import annotations

import sqlite3
import threading
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rivet_core.errors import EnvironmentFailure, InternalError, SnapshotGone
from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    Budget,
    Coalesce,
    ColumnKey,
    IsNull,
    Keys,
    ReadContext,
    ReadRequest,
    Since,
    SourceRange,
    Until,
)
from rivet_core.sources.sqlite.keyfacts import key_columns, key_facts
from rivet_core.sources.sqlite.statement import select
from rivet_core.types import ColumnRules, Position, Query, Snapshot, Table, Verdict

if TYPE_CHECKING:
    from conftest import Database

A, B = ColumnKey("a"), ColumnKey("b")
T = Table("t")
per_test_database = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
cells = st.none() | st.integers(-2, 2) | st.sampled_from([0.5, -1.5, 1e300]) | st.sampled_from(["", "a", "A", "b", "ä"])
cells |= st.sampled_from([b"", b"a", b"\xff"])
tables = st.lists(st.tuples(cells, cells), max_size=12)
orders: list[Keys] = [(A,), (A, B), (Coalesce(("a", "b")), A)]


def fill(database: Database, rows: list[tuple[Any, Any]], columns: str = "a, b") -> None:
    database.run(f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns}, n INTEGER PRIMARY KEY)")
    database.own.execute("BEGIN")
    database.own.executemany("INSERT INTO t (a, b) VALUES (?, ?)", rows)
    database.own.execute("COMMIT")


def numbers(database: Database, **request: Any) -> list[int]:
    return [row[-1] for row in database.rows(T, **request)]


@per_test_database
@given(rows=tables, keys=st.sampled_from(orders), at=st.integers(0, 11))
def test_a_position_cuts_the_order_in_two(database: Database, rows: list[tuple[Any, Any]], keys: Keys, at: int) -> None:
    fill(database, rows)
    whole = numbers(database, order=keys, budget=Budget(rows=1))
    marks = [batch.mark for batch in database.batches(T, order=(*keys, ColumnKey("n")), budget=Budget(rows=1))]
    if at >= len(marks) or marks[at] is None:
        return
    position = Position.row(*marks[at].parts[:-1])
    before, after = (numbers(database, order=keys, terms=(term(keys, position),)) for term in (Until, After))
    assert before + after == whole
    at_or_after = numbers(database, order=keys, terms=(AtOrAfter(keys, position),))
    assert at_or_after[len(at_or_after) - len(after) :] == after
    between = numbers(database, order=keys, terms=(AtOrAfter(keys, position), Until(keys, position)))
    assert between + after == at_or_after
    assert between


@per_test_database
@given(rows=tables, low=st.none() | st.integers(-2, 2), high=st.none() | st.integers(-2, 2))
def test_ranges_and_the_rows_without_a_key_are_all_rows(
    database: Database, rows: list[tuple[Any, Any]], low: int | None, high: int | None
) -> None:
    fill(database, rows)
    ends = sorted(end for end in (low, high) if end is not None)
    borders = [None, *(Position("int64", str(end)) for end in ends), None]
    found = numbers(database, terms=(IsNull(A),))
    for start, end in pairwise(borders):
        found += numbers(database, terms=(Between(A, start, end),))
    assert sorted(found) == sorted(numbers(database))


@per_test_database
@given(rows=tables, page=st.integers(1, 5))
def test_pages_deliver_each_row_once(database: Database, rows: list[tuple[Any, Any]], page: int) -> None:
    fill(database, rows)
    keys = (A, B, ColumnKey("n"))
    found: list[int] = []
    terms: tuple[After, ...] = ()
    while batches := database.batches(T, order=keys, terms=terms, limit=page):
        found += [row["n"] for batch in batches for row in batch.data.to_pylist()]
        mark = batches[-1].mark
        assert mark is not None
        terms = (After(keys, mark),)
    assert found == numbers(database, order=keys)


@per_test_database
@given(rows=tables, size=st.integers(1, 4))
def test_no_mark_stands_between_rows_of_equal_keys(database: Database, rows: list[tuple[Any, Any]], size: int) -> None:
    fill(database, rows)
    batches = database.batches(T, order=(A,), budget=Budget(rows=size))
    for at, batch in enumerate(batches):
        if batch.mark is not None:
            rest = [row["n"] for later in batches[at + 1 :] for row in later.data.to_pylist()]
            assert numbers(database, order=(A,), terms=(After((A,), batch.mark),)) == rest
    assert not batches or batches[-1].mark is not None


def test_a_plain_scan_has_no_marks(database: Database) -> None:
    fill(database, [(1, 2), (3, 4)])
    assert [batch.mark for batch in database.batches(T)] == [None]


def test_a_key_of_another_collation_loses_no_rows(database: Database) -> None:
    fill(database, [("a", 1), ("A", 2), ("b ", 3), ("b", 4)], "a TEXT COLLATE NOCASE, b TEXT COLLATE RTRIM")
    found, terms = [], ()
    while batches := database.batches(T, order=(A,), terms=terms, limit=1):
        found += [batch.data.column("a")[0].as_py() for batch in batches]
        terms = (After((A,), batches[-1].mark),)
    assert found == ["A", "a", "b", "b "]


@pytest.mark.parametrize(
    ("literal", "days"),
    [("2024-01-02 00:00:00", [2, 3, 4]), ("2024-01-02T00:00:00.000000", [2, 3, 4]), ("2024-01-02T12:00:00", [3, 4])],
)
@pytest.mark.parametrize("declared", ["TEXT", "DATETIME"])
def test_since_leaves_no_spelling_of_the_first_instant_out(
    database: Database, literal: str, days: list[int], declared: str
) -> None:
    stored = [("2024-01-01 23:59:59", 1), ("2024-01-02", 2), ("2024-01-02 12:00:00", 3), ("2024-01-02T12:00:00", 4)]
    fill(database, stored, f"a {declared}, b")
    assert [int(row[1]) for row in database.rows(T, terms=(Since("a", literal),), order=(B,))] == days


def test_since_takes_seconds_for_a_column_of_integers(database: Database) -> None:
    fill(database, [(1_700_000_000, 1), (1_700_000_001, 2)], "a INTEGER, b")
    assert numbers(database, terms=(Since("a", "1700000001"),)) == [2]


@pytest.mark.parametrize(
    "keys", [(ColumnKey("n"),), (A, B), (A, B, ColumnKey("n"))], ids=["rowid", "composite", "with rowid"]
)
def test_a_page_is_sought_by_an_index_and_never_sorted(database: Database, keys: Keys) -> None:
    fill(database, [], "a INTEGER NOT NULL, b TEXT NOT NULL")
    database.run("CREATE UNIQUE INDEX i ON t (a, b)")
    at = Position.row(*[Position("int64", "1"), Position("text", "x"), Position("int64", "1")][: len(keys)])
    columns = database.source.describe(T, ColumnRules()).columns
    request = ReadRequest(
        relation=T, columns=columns, terms=(After(keys, at), Until(keys, at)), order=keys, hidden=keys, limit=10
    )
    facts = key_facts(database.own, T, key_columns(request, keys))
    statement = select(request, T, facts)
    plan = [row[3] for row in database.own.execute(f"EXPLAIN QUERY PLAN {statement.sql}", statement.parameters)]
    assert len(plan) == 1
    assert plan[0].startswith("SEARCH")


def test_batches_keep_to_the_budget_of_rows(database: Database) -> None:
    fill(database, [(number, None) for number in range(5000)])
    assert {batch.data.num_rows for batch in database.batches(T, budget=Budget(rows=1000))} == {1000}


def test_batches_keep_near_the_budget_of_bytes_when_cells_grow_long(database: Database) -> None:
    fill(database, [("x", None)] * 3000 + [("x" * 50_000, None)] * 3000, "a TEXT, b")
    budget = 1024 * 1024
    sizes = [batch.data.nbytes for batch in database.batches(T, budget=Budget(bytes=budget))]
    # Where the cells grow nobody can know their length before; every batch after it is measured.
    assert sorted(sizes)[-2] < 2 * budget
    assert len(sizes) > 3000 * 50_000 // (2 * budget)


def test_a_read_sees_one_state_while_others_write(database: Database) -> None:
    fill(database, [(number, None) for number in range(3000)])
    request = ReadRequest(
        relation=T, columns=database.source.describe(T, ColumnRules()).columns, budget=Budget(rows=500)
    )
    with database.source.read(request, ReadContext()) as batches:
        rows = next(batches).data.num_rows
        database.run("INSERT INTO t (a) VALUES (1), (2); DELETE FROM t WHERE n = 2999")
        assert database.source.count(request, ReadContext()) == 3000
        rows += sum(batch.data.num_rows for batch in batches)
    assert rows == 3000
    assert database.source.count(request, ReadContext()) == 3001


def test_a_count_behind_the_last_row_is_of_the_reads_own_state(database: Database) -> None:
    fill(database, [(1, None)])
    request = ReadRequest(relation=T, columns=database.source.describe(T, ColumnRules()).columns)
    with database.source.read(request, ReadContext()) as batches:
        assert sum(batch.data.num_rows for batch in batches) == 1
        database.run("INSERT INTO t (a) VALUES (2)")
        assert database.source.count(request, ReadContext()) == 1


def test_count_agrees_with_terms_and_limit(database: Database) -> None:
    fill(database, [(number, None) for number in range(10)])
    request = ReadRequest(relation=T, terms=(After((A,), Position("int64", "3")),), order=(A,))
    assert database.source.count(request, ReadContext()) == 6
    assert database.source.count(attrs.evolve(request, limit=2), ReadContext()) == 2


def test_leaving_early_ends_the_transaction(database: Database) -> None:
    database.own.execute("PRAGMA journal_mode = delete")
    fill(database, [(number, None) for number in range(3000)])
    request = ReadRequest(
        relation=T, columns=database.source.describe(T, ColumnRules()).columns, budget=Budget(rows=10)
    )
    with database.source.read(request, ReadContext()) as batches:
        next(batches)
    database.own.execute("PRAGMA busy_timeout = 0")
    database.run("INSERT INTO t (a) VALUES (1)")  # would be busy under an open read


#: Counts to ten billion before its first row.
ENDLESS = Query(
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS m FROM c LIMIT 10000000000"
)


def test_cancel_from_another_thread_ends_a_blocked_read(database: Database) -> None:
    columns = database.source.describe(ENDLESS, ColumnRules()).columns
    timer = threading.Timer(0.3, database.source.cancel)
    timer.start()
    with (
        pytest.raises(EnvironmentFailure) as caught,
        database.source.read(ReadRequest(relation=ENDLESS, columns=columns), ReadContext()) as batches,
    ):
        list(batches)
    timer.join()
    assert caught.value.code == "RIVET_SOURCE_QUERY_FAILED"
    assert database.source.verdict(caught.value) is Verdict.FATAL


def test_cancel_without_a_read_does_nothing(database: Database) -> None:
    database.source.cancel()
    fill(database, [(1, 2)])
    database.source.check()
    database.source.cancel()
    assert numbers(database) == [1]


def test_a_dropped_column_is_an_error_and_not_its_own_name(database: Database) -> None:
    fill(database, [(1, 2)])
    columns = database.source.describe(T, ColumnRules()).columns
    database.run("ALTER TABLE t DROP COLUMN b")
    with (
        pytest.raises(EnvironmentFailure) as caught,
        database.source.read(ReadRequest(relation=T, columns=columns), ReadContext()) as batches,
    ):
        list(batches)
    assert caught.value.code == "RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ"


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1; DROP TABLE t",
        "DELETE FROM t",
        "SELECT a FROM t WHERE a = ?",
        "SELECT 1) AS x; SELECT (2",
        "PRAGMA user_version = 7",
        "SELECT * FROM nowhere",
        "",
    ],
)
def test_a_query_is_one_select(database: Database, text: str) -> None:
    fill(database, [(1, 2)])
    with pytest.raises(EnvironmentFailure) as caught:
        database.source.describe(Query(text), ColumnRules())
    assert caught.value.code == "RIVET_SOURCE_QUERY_FAILED"
    assert database.own.execute("SELECT count(*) FROM t").fetchone() == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT n FROM t;",
        "SELECT n FROM t -- all of them",
        "WITH c AS (SELECT n FROM t) SELECT * FROM c;\n-- end\n",
        "VALUES (1)",
    ],
)
def test_a_query_may_end_as_people_end_them(database: Database, text: str) -> None:
    fill(database, [(1, 2)])
    assert [int(row[0]) for row in database.rows(Query(text))] == [1]


def test_the_file_is_never_written(database: Database) -> None:
    database.own.execute("PRAGMA journal_mode = delete")
    fill(database, [(1, 2)])
    before = database.path.read_bytes()
    query = Query("SELECT * FROM t")
    assert len(database.rows(query, order=(A,))) == 1
    assert database.path.read_bytes() == before


def test_a_locked_database_is_worth_another_try(database: Database) -> None:
    database.own.execute("PRAGMA journal_mode = delete")
    database.run("BEGIN EXCLUSIVE")
    other = sqlite3.connect(database.path, timeout=0)
    with pytest.raises(sqlite3.OperationalError) as caught:
        other.execute("SELECT * FROM sqlite_schema")
    other.close()
    assert database.source.verdict(caught.value) is Verdict.RETRY


def test_a_foreign_range_is_refused(database: Database) -> None:
    fill(database, [])
    with pytest.raises(InternalError):
        numbers(database, terms=(SourceRange("pages", "[0, 1]"),))


def test_a_shared_snapshot_is_not_there(database: Database) -> None:
    fill(database, [])
    with (
        pytest.raises(SnapshotGone),
        database.source.read(ReadRequest(relation=T), ReadContext(snapshot=Snapshot(token="1"))),
    ):
        pass


def test_a_source_may_move_to_another_thread(database: Database) -> None:
    fill(database, [(1, 2)])
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.extend(numbers(database)))
    thread.start()
    thread.join()
    assert found == [1]
