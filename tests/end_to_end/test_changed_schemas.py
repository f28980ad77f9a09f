"""Schemas that change: between two runs, between a death and the next run, and between planning and reading."""

from __future__ import annotations

import pytest
from e2e_command import RUN, Place, export, finish, outcome, table
from e2e_gate import (
    ROWS,
    WAITS_AT_GATE,
    WAITS_FOR_TABLE,
    closed_gate,
    holding,
    say,
    sessions,
    until,
    until_gone,
)
from e2e_reader import Delivered
from postgres_server import PostgresDatabase

WIDER = "CREATE OR REPLACE VIEW gated AS SELECT id, word, id * 2 AS more FROM numbers WHERE gate(id)"


def die_with_recorded_parts(database: PostgresDatabase, place: Place) -> str:
    """Kills a run when all its parts are recorded and nothing is sealed; returns the run's id."""
    with closed_gate(database) as gate, place.start("run", "-c", "rivet.yaml") as process:
        until(WAITS_AT_GATE, database)
        # The last look at the schema, when everything is read, asks for this.
        with holding(database, "LOCK TABLE pg_catalog.pg_inherits IN ACCESS EXCLUSIVE MODE"):
            say(gate, "COMMIT")
            until(WAITS_FOR_TABLE, database)
            process.kill()
            process.communicate()
    until_gone(database)
    (unfinished,) = place.rivet("state", "runs", "-c", "rivet.yaml", "--running", "--json").json()
    assert not (place.prefix("gated") / "manifest.json").exists()
    return str(unfinished["run_id"])


@pytest.mark.slow
def test_a_dead_run_whose_parts_are_recorded_is_sealed_without_reading_again(
    gated: PostgresDatabase, place: Place
) -> None:
    run_id = die_with_recorded_parts(gated, place)
    # Nobody can pass: whoever read again would wait for ever.
    with closed_gate(gated):
        again = place.rivet(*RUN)
        assert sessions(gated, WAITS_AT_GATE) == 0
    assert (again.code, outcome(again)["run_id"], outcome(again)["resumed"]) == (0, run_id, True)
    delivered = Delivered.at(place.prefix("gated"))
    assert {row[0] for row in delivered.rows()} == {str(number) for number in range(1, ROWS + 1)}
    assert delivered.manifest["row_count"] == ROWS


@pytest.mark.slow
def test_a_schema_changed_since_the_death_is_refused_and_fresh_is_the_way_out(
    gated: PostgresDatabase, place: Place
) -> None:
    run_id = die_with_recorded_parts(gated, place)
    gated.run_sql(WIDER)
    refused = place.rivet(*RUN)
    assert refused.failure() == (5, "RIVET_STATE_PLAN_CHANGED")
    assert "--fresh" in refused.error()["remedy"]
    assert not (place.prefix("gated") / "manifest.json").exists()
    fresh = place.rivet(*RUN, "--fresh")
    assert fresh.code == 0
    assert outcome(fresh)["run_id"] != run_id
    delivered = Delivered.at(place.prefix("gated"))
    assert delivered.schema.names == ["id", "word", "more"]
    assert delivered.manifest["row_count"] == len(delivered.rows()) == ROWS


@pytest.fixture
def small(postgres_database: PostgresDatabase, place: Place) -> PostgresDatabase:
    """A table of three rows with an export that refuses changes and one that tells of them."""
    postgres_database.run_sql("CREATE TABLE small AS SELECT g AS id, 'row ' || g AS word FROM generate_series(1, 3) g")
    place.configure(
        {"url": postgres_database.url, "tuning": {"max_retries": 0}},
        [
            export("strict", table("small"), on_schema_drift="fail"),
            export("lenient", table("small")),
        ],
    )
    return postgres_database


CHANGES = {
    "a column more": "ALTER TABLE small ADD COLUMN more int",
    "a column less": "ALTER TABLE small DROP COLUMN word",
    "another name": "ALTER TABLE small RENAME COLUMN word TO term",
    "another type": "ALTER TABLE small ALTER COLUMN id TYPE bigint",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_between_two_runs_is_refused_or_told(small: PostgresDatabase, place: Place, change: str) -> None:
    assert place.run().code == 0
    before = Delivered.at(place.prefix("strict"))
    small.run_sql(change)
    done = place.run()
    strict, lenient = (outcome(done, number) for number in (0, 1))
    assert (done.code, strict["error_code"], lenient["status"]) == (4, "RIVET_RUN_SCHEMA_DRIFT", "success")
    assert Delivered.at(place.prefix("strict")) == before
    assert {gate["gate"]: gate["verdict"] for gate in lenient["gates"]}["schema_drift"] == "warn"
    assert len(Delivered.at(place.prefix("lenient")).rows()) == 3


@pytest.mark.parametrize("change", [CHANGES["a column less"], CHANGES["another name"], CHANGES["another type"]])
def test_a_column_that_changes_between_planning_and_reading_ends_the_run(
    small: PostgresDatabase, place: Place, change: str
) -> None:
    with holding(small, "LOCK TABLE small") as session, place.start(*RUN, "-e", "lenient") as process:
        until(WAITS_FOR_TABLE, small)
        say(session, change, "COMMIT")
        done = finish(process)
    assert done.failure() == (1, "RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ")
    assert not (place.prefix("lenient") / "manifest.json").exists()
    again = place.run("-e", "lenient")
    assert again.code == 0, again.err
    assert len(Delivered.at(place.prefix("lenient")).rows()) == 3


@pytest.mark.parametrize(("export_name", "code", "verdict"), [("strict", 4, "fail"), ("lenient", 0, "warn")])
def test_a_column_that_appears_while_reading_is_what_the_drift_gate_sees(
    small: PostgresDatabase, place: Place, export_name: str, code: int, verdict: str
) -> None:
    with holding(small, "LOCK TABLE small") as session, place.start(*RUN, "-e", export_name) as process:
        until(WAITS_FOR_TABLE, small)
        say(session, CHANGES["a column more"], "COMMIT")
        done = finish(process)
    assert done.code == code, done.err
    assert {gate["gate"]: gate["verdict"] for gate in outcome(done)["gates"]}["schema_drift"] == verdict
