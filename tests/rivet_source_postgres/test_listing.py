"""Which relations are listed, and what the catalogue says of each; nothing is counted and nobody is waited for."""

from __future__ import annotations

import threading
from typing import Any

from rivet_core.schema import RelationFacts, RelationKind
from rivet_core.types import Table


def listed(room: Any) -> dict[str, RelationFacts]:
    return {facts.table.name: facts for facts in room.own.relations() if facts.table.schema == room.schema}


def test_tables_and_views_of_every_kind_are_listed(room: Any) -> None:
    room.run_sql(
        "CREATE TABLE plain (i int); CREATE VIEW seen AS SELECT 1 AS i; CREATE MATERIALIZED VIEW kept AS SELECT 1 AS i;"
        "CREATE TABLE parted (i int) PARTITION BY RANGE (i); CREATE SEQUENCE numbers"
    )
    assert {name: facts.kind for name, facts in listed(room).items()} == {
        "kept": RelationKind.MATERIALIZED_VIEW,
        "parted": RelationKind.TABLE,
        "plain": RelationKind.TABLE,
        "seen": RelationKind.VIEW,
    }


def test_names_are_exact_and_in_order(room: Any) -> None:
    room.run_sql('CREATE TABLE b (i int); CREATE TABLE "A b""c" (i int); CREATE TABLE "日本" (i int)')
    assert [*listed(room)] == ['A b"c', "b", "日本"]


def test_the_servers_own_relations_are_not_listed(room: Any) -> None:
    assert {facts.table.schema for facts in room.own.relations()} <= {room.schema, "public"}


def test_the_key_has_the_order_of_the_index(room: Any) -> None:
    room.run_sql('CREATE TABLE t (a int, "b.c" int, d int UNIQUE, PRIMARY KEY ("b.c", a) INCLUDE (d))')
    assert listed(room)["t"].primary_key == ("b.c", "a")


def test_nothing_is_known_of_a_table_that_nobody_analysed(room: Any) -> None:
    room.run_sql("CREATE TABLE t (i int); INSERT INTO t SELECT generate_series(1, 10)")
    assert (listed(room)["t"].estimated_rows, listed(room)["t"].total_bytes) == (None, None)


def test_rows_and_sizes_are_those_of_the_last_analyze(room: Any) -> None:
    room.run_sql(
        "CREATE TABLE t (i int PRIMARY KEY, t text); INSERT INTO t SELECT g, repeat('x', 100)"
        " FROM generate_series(1, 5000) g; VACUUM ANALYZE t; INSERT INTO t SELECT generate_series(5001, 6000)"
    )
    found = listed(room)["t"]
    assert found.estimated_rows == 5000
    assert found.total_bytes is not None
    assert found.total_bytes > int(room.psql_text("SELECT pg_relation_size('t_pkey')")) > 0


def test_a_partitioned_table_stands_for_its_partitions(room: Any) -> None:
    room.run_sql(
        "CREATE TABLE t (i int, j int) PARTITION BY RANGE (i);"
        "CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (9);"
        "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (9) TO (99) PARTITION BY RANGE (j);"
        "CREATE TABLE t21 PARTITION OF t2 FOR VALUES FROM (0) TO (99);"
        "INSERT INTO t SELECT g, 1 FROM generate_series(0, 49) g; ANALYZE"
    )
    assert {name: facts.estimated_rows for name, facts in listed(room).items()} == {"t": 50}


def test_a_table_that_may_not_be_read_is_not_listed(room: Any) -> None:
    room.run_sql("CREATE TABLE mine (i int); CREATE TABLE yours (i int); GRANT SELECT ON yours TO PUBLIC")
    room.run_sql(f"CREATE ROLE guest_{room.database} LOGIN PASSWORD 'g'; GRANT USAGE ON SCHEMA {room.schema} TO PUBLIC")
    try:
        host = room.url.rpartition("@")[2]
        guest = room.source_of(f"postgresql://guest_{room.database}:g@{host}")
        try:
            found = [facts.table for facts in guest.relations() if facts.table.schema == room.schema]
        finally:
            guest.close()
    finally:
        room.run_sql(f"DROP ROLE guest_{room.database}")
    assert found == [Table("yours", room.schema)]


def test_a_locked_table_keeps_nobody_waiting(room: Any) -> None:
    room.run_sql("CREATE TABLE t (i int)")
    with room.locked("t"):
        found: list[str] = []
        asking = threading.Thread(target=lambda: found.extend(listed(room)), daemon=True)
        asking.start()
        asking.join(10)
        in_time = list(found)
    asking.join(10)
    assert in_time == ["t"]
