"""Which relations a database file has, and what its catalogue says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.schema import RelationFacts, RelationKind

if TYPE_CHECKING:
    from conftest import Database


def listed(database: Database) -> dict[str, RelationFacts]:
    return {facts.table.name: facts for facts in database.source.relations()}


def test_tables_and_views_are_listed_and_what_is_sqlites_own_is_not(database: Database) -> None:
    database.run(
        "CREATE TABLE t (i INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW v AS SELECT 1 AS i;"
        "CREATE VIRTUAL TABLE found USING fts5(body); CREATE INDEX t_i ON t (i); ANALYZE"
    )
    assert {name: facts.kind for name, facts in listed(database).items()} == {
        "found": RelationKind.TABLE,
        "t": RelationKind.TABLE,
        "v": RelationKind.VIEW,
    }


def test_names_are_exact_and_belong_to_no_schema(database: Database) -> None:
    database.run('CREATE TABLE "b ""c" (i); CREATE TABLE "A.b" (i)')
    assert [(facts.table.name, facts.table.schema) for facts in database.source.relations()] == [
        ("A.b", None),
        ('b "c', None),
    ]


def test_a_view_that_is_broken_does_not_hide_the_others(database: Database) -> None:
    database.run("CREATE TABLE t (i); CREATE VIEW v AS SELECT i FROM t; DROP TABLE t; CREATE TABLE u (i)")
    assert {"u", "v"} <= set(listed(database))


def test_the_key_has_its_own_order(database: Database) -> None:
    database.run("CREATE TABLE t (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID; CREATE TABLE u (a INTEGER PRIMARY KEY)")
    assert {name: facts.primary_key for name, facts in listed(database).items()} == {"t": ("b", "a"), "u": ("a",)}


def test_nothing_is_known_of_rows_before_analyze(database: Database) -> None:
    database.run("CREATE TABLE t (i INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    assert listed(database)["t"].estimated_rows is None


def test_rows_are_those_of_the_last_analyze(database: Database) -> None:
    database.run("CREATE TABLE t (i); CREATE INDEX t_i ON t (i); INSERT INTO t VALUES (1), (2), (3); ANALYZE")
    database.run("INSERT INTO t VALUES (4)")
    assert listed(database)["t"].estimated_rows == 3
