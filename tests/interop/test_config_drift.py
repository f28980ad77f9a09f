"""Changed tables under each policy: both tools notice the same, and end alike."""

from __future__ import annotations

import re
from typing import Any

import pytest
from interop_pair import Both, Pair, export
from postgres_server import PostgresDatabase

#: What happens to a table between two runs, and whether it is drift.
CHANGES = {
    "added": ("ALTER TABLE {t} ADD COLUMN extra int", True),
    "removed": ("ALTER TABLE {t} DROP COLUMN n", True),
    "retyped": ("ALTER TABLE {t} ALTER COLUMN n TYPE bigint", True),
    "renamed": ("ALTER TABLE {t} RENAME COLUMN n TO m", True),
    "reordered": ("ALTER TABLE {t} DROP COLUMN n; ALTER TABLE {t} ADD COLUMN n int", False),
    "grown": ("UPDATE {t} SET name = repeat('x', 100)", False),
    "filled": ("INSERT INTO {t} SELECT g, 'b', 2 FROM generate_series(2, 50) AS g", False),
    "unchanged": ("SELECT 1", False),
}
POLICIES = ("warn", "continue", "fail")


@pytest.fixture
def twice(rust_tool: Any, postgres_database: PostgresDatabase, tmp_path: Any) -> tuple[Pair, Both]:
    """Every change under every policy: two runs, with the changes between them."""
    pair = Pair(rust=rust_tool.path, folder=tmp_path, url=postgres_database.url)
    for change in CHANGES:
        postgres_database.run_sql(f"CREATE TABLE {change} (id int, name text, n int)")
        postgres_database.run_sql(f"INSERT INTO {change} VALUES (1, 'a', 1)")
    pair.configure(
        [export(f"{change}-{policy}", change, on_schema_drift=policy) for change in CHANGES for policy in POLICIES]
    )
    first = pair.run()
    assert first.codes == (0, 0), first
    for change, (statements, _) in CHANGES.items():
        postgres_database.run_sql(statements.format(t=change))
    return pair, pair.run()


def test_both_judge_each_change_alike(twice: tuple[Pair, Both], told: str) -> None:
    pair, both = twice
    assert both.codes == (4, 4)
    fails = {f"{change}-fail" for change, (_, drifted) in CHANGES.items() if drifted}
    for end in (both.ours, both.theirs):
        exports = end.exports()
        assert {name for name, one in exports.items() if one["status"] != "success"} == fails
        assert set(exports) == {f"{change}-{policy}" for change in CHANGES for policy in POLICIES}
    # Their next run would be compared with the old schema, and so would ours.
    again = pair.run()
    assert again.codes == (4, 4)
    # Ours still has the last good dataset under its marker.
    for name in fails:
        assert [(root / "out" / name / "_SUCCESS").exists() for root in (pair.ours, pair.theirs)] == [True, False]
    assert "last good dataset" in told


def test_a_changed_schema_is_accepted_by_warn_in_both(pair: Pair, postgres_database: PostgresDatabase) -> None:
    own = Pair(rust=pair.rust, folder=pair.folder, url=postgres_database.url)
    postgres_database.run_sql("CREATE TABLE t AS SELECT 1 AS id")
    codes = []
    for policy, change in (
        ("fail", "SELECT 1"),
        ("fail", "ALTER TABLE t ADD COLUMN n int"),
        ("warn", "SELECT 1"),
        ("fail", "SELECT 1"),
    ):
        postgres_database.run_sql(change)
        own.configure([export("x", "t", on_schema_drift=policy)])
        codes.append(own.run().codes)
    assert codes == [(0, 0), (4, 4), (0, 0), (0, 0)]


@pytest.mark.parametrize("factor", [None, 2.0, 500.0, 0])
def test_both_warn_of_a_value_that_grew(pair: Pair, postgres_database: PostgresDatabase, factor: float | None) -> None:
    warned = factor in {None, 2.0}
    own = Pair(rust=pair.rust, folder=pair.folder, url=postgres_database.url)
    postgres_database.run_sql("CREATE TABLE t AS SELECT 1 AS id, 'ab' AS name")
    own.configure([export("x", "t", shape_drift_warn_factor=factor)])
    assert own.run().codes == (0, 0)
    postgres_database.run_sql("UPDATE t SET name = repeat('x', 100)")
    both = own.rivet("run", "-c", "rivet.yaml")
    assert both.codes == (0, 0)
    said = [re.search(r"shape.drift\b.*column '?name", end.said()) is not None for end in (both.ours, both.theirs)]
    assert said == [warned, warned]


def test_a_changed_table_without_rows_is_drift_to_us_alone(
    pair: Pair, postgres_database: PostgresDatabase, told: str
) -> None:
    own = Pair(rust=pair.rust, folder=pair.folder, url=postgres_database.url)
    postgres_database.run_sql("CREATE TABLE t (id int)")
    own.configure([export("x", "t", on_schema_drift="fail")])
    assert own.run().codes == (0, 0)
    postgres_database.run_sql("ALTER TABLE t ADD COLUMN n int")
    assert own.run().codes == (4, 0)
    assert "without rows" in told
