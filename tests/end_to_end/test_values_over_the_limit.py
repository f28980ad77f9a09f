"""A single value that is larger than ``max_value_mb``: its table and its column are named, whatever its type."""

from __future__ import annotations

import pytest
from e2e_command import Place, export, table
from postgres_server import PostgresDatabase

LARGE = {
    "text": "repeat('x', 2000000)",
    "jsonb": "to_jsonb(repeat('x', 2000000))",
    "bytea": "decode(repeat('ab', 2000000), 'hex')",
    "text[]": "ARRAY['a', repeat('x', 2000000)]",
}


@pytest.mark.parametrize("kind", LARGE)
def test_a_value_over_the_limit_names_its_table_and_its_column(
    kind: str, postgres_database: PostgresDatabase, place: Place
) -> None:
    postgres_database.run_sql(f"CREATE TABLE t (a int, large {kind}); INSERT INTO t VALUES (1, {LARGE[kind]})")
    place.configure({"url": postgres_database.url, "tuning": {"max_value_mb": 1}}, [export("t", table("t"))])
    error = place.run().error()
    assert error["code"] == "RIVET_SOURCE_VALUE_TOO_LARGE"
    assert (error["place"]["relation"], error["place"]["field"]) == ("t", "large")


def test_a_value_of_just_the_limit_is_delivered(postgres_database: PostgresDatabase, place: Place) -> None:
    postgres_database.run_sql("CREATE TABLE t AS SELECT repeat('x', 1048576) AS large FROM generate_series(1, 3)")
    place.configure({"url": postgres_database.url, "tuning": {"max_value_mb": 1}}, [export("t", table("t"))])
    assert place.run().code == 0
