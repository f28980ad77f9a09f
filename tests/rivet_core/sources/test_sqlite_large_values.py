"""Cells of many megabytes: a read holds about a batch and one row of them, and gives each of them unharmed."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from rivet_core.requests import After, Budget, ColumnKey, Keys, ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Query, Table

if TYPE_CHECKING:
    from conftest import Database

    from rivet_core.types import Relation

MIB = 1024 * 1024
#: The long cells are looked up after the rows were put into their order.
SHUFFLED = "SELECT t.id, t.v FROM (SELECT id FROM t ORDER BY random() LIMIT -1) s CROSS JOIN t ON t.id = s.id"
BUDGET = Budget(bytes=16 * MIB)
TEXT = "replace(hex(zeroblob(2500000)), '0', 'x')"


def peak_and_rows(database: Database, relation: Relation, order: Keys = ()) -> tuple[int, int]:
    """Return the most bytes that Python and Arrow held in a read, and how many rows came."""
    columns = database.source.describe(relation, ColumnRules()).columns
    request = ReadRequest(relation=relation, columns=columns, budget=BUDGET, order=order)
    rows = most = 0
    tracemalloc.start()
    try:
        with database.source.read(request, ReadContext()) as batches:
            for batch in batches:
                rows += batch.data.num_rows
                most = max(most, tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes())
                tracemalloc.reset_peak()
                del batch
    finally:
        tracemalloc.stop()
    return most, rows


@pytest.mark.parametrize("before", [0, 5000])
@pytest.mark.parametrize(("declared", "value"), [("BLOB", "zeroblob(5000000)"), ("TEXT", TEXT), ("", TEXT)])
def test_long_cells_keep_to_the_memory_of_a_batch(database: Database, declared: str, value: str, before: int) -> None:
    empty = "x''" if declared == "BLOB" else "''"
    small = f"INSERT INTO t (v) SELECT {empty} FROM n LIMIT {before}"
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    database.run(
        f"CREATE TABLE t (id INTEGER PRIMARY KEY, v {declared});"
        f"{numbers} {small}; {numbers} INSERT INTO t (v) SELECT {value} FROM n LIMIT 64"
    )
    most, rows = peak_and_rows(database, Table("t"))
    assert rows == before + 64
    assert most < 80 * MIB


def test_long_cells_of_an_expression_keep_to_the_memory_of_a_batch(database: Database) -> None:
    database.run("CREATE TABLE t (n INTEGER PRIMARY KEY)")
    database.own.executemany("INSERT INTO t VALUES (?)", [(number,) for number in range(64)])
    most, rows = peak_and_rows(database, Query("SELECT n, zeroblob(2500000) AS v FROM t"))
    assert rows == 64
    assert most < 80 * MIB


def test_long_cells_that_are_sorted_keep_to_the_memory_of_a_batch(database: Database) -> None:
    database.run(
        "CREATE TABLE t (n INTEGER, v BLOB); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        "INSERT INTO t SELECT i, zeroblob(CASE WHEN i > 3000 THEN 5000000 END) FROM n LIMIT 3064"
    )
    most, rows = peak_and_rows(database, Table("t"), order=(ColumnKey("n"),))
    assert rows == 3064
    assert most < 80 * MIB


def test_a_read_goes_on_after_a_long_key(database: Database) -> None:
    database.run("CREATE TABLE t (v TEXT)")
    database.own.executemany("INSERT INTO t VALUES (?)", [("a" * 100_000,), ("b",)])
    first = database.batches(Table("t"), order=(ColumnKey("v"),), budget=Budget(rows=1))[0]
    assert first.mark
    after = After((ColumnKey("v"),), first.mark)
    assert database.rows(Table("t"), order=(ColumnKey("v"),), terms=(after,)) == [("b",)]


@pytest.mark.parametrize("order", [(), (ColumnKey("v"),), (ColumnKey("id"),)])
def test_long_and_short_cells_by_turns_come_once_each(database: Database, order: tuple[ColumnKey, ...]) -> None:
    sizes = [70_000 + at if at % 97 == 0 and at > 1500 else at % 40 for at in range(4000)]
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    database.own.execute("BEGIN")
    database.own.executemany("INSERT INTO t VALUES (?, ?)", [(at, "é" * size) for at, size in enumerate(sizes)])
    database.own.execute("COMMIT")
    rows = database.rows(Table("t"), order=order, budget=Budget(bytes=MIB))
    assert sorted((at, len(text)) for at, text in rows) == list(enumerate(sizes))


def test_a_cell_that_is_read_leaves_no_limit_behind(database: Database) -> None:
    database.run("CREATE TABLE t (v BLOB); INSERT INTO t VALUES (x'00'), (zeroblob(5000000))")
    database.batches(Table("t"))
    assert [len(row[0]) for row in database.rows(Query("SELECT zeroblob(6000000) AS v"), ColumnRules())] == [12_000_000]


@pytest.mark.parametrize("relation", [Query(SHUFFLED), Table("shuffled")], ids=str)
def test_rows_in_an_order_by_chance_arrive_once_beside_long_cells(database: Database, relation: Relation) -> None:
    database.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        f" INSERT INTO t SELECT i, CASE WHEN i % 1000 = 0 THEN {TEXT} END FROM n;"
        f"CREATE VIEW shuffled AS {SHUFFLED};"
    )
    columns = database.source.describe(relation, ColumnRules()).columns
    with database.source.read(ReadRequest(relation=relation, columns=columns), ReadContext()) as batches:
        found = [value for batch in batches for value in batch.data["id"].to_pylist()]
    assert sorted(found) == list(range(1, 5001))
