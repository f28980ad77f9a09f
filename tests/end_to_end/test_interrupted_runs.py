"""Runs that are disturbed in their middle: by signals, by the server, by another process."""

from __future__ import annotations

import signal

import pytest
from e2e_command import RUN, Place, finish, outcome
from e2e_gate import ROWS, WAITS_AT_GATE, WAITS_FOR_TABLE, closed_gate, holding, say, sessions, until, until_gone
from e2e_reader import Delivered
from postgres_server import PostgresDatabase

pytestmark = pytest.mark.slow

RIVETS = "application_name = 'rivet' AND datname = current_database()"
#: Waits until the sessions are gone.
TERMINATE = f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {RIVETS}"


def assert_whole(place: Place, database: PostgresDatabase) -> None:
    """Each row is delivered, once, and none of another run."""
    delivered = Delivered.at(place.prefix("gated"))
    rows = delivered.rows()
    assert delivered.manifest["row_count"] == len(rows) == ROWS
    assert len({row[0] for row in rows}) == ROWS
    assert place.rivet("validate", "-c", "rivet.yaml", "--depth", "full").code == 0
    until_gone(database)


def assert_next_is_whole(place: Place, database: PostgresDatabase) -> None:
    """The next run succeeds; of the one before nothing was recorded, so that it begins anew and says so."""
    again = place.rivet(*RUN)
    assert again.code == 0, again.err
    assert "abandoned, nothing of it is lost" in outcome(again)["warnings"][0]
    assert_whole(place, database)


def test_a_terminated_session_is_replaced_and_the_run_is_whole(gated: PostgresDatabase, place: Place) -> None:
    with closed_gate(gated) as gate, place.start(*RUN) as process:
        until(WAITS_AT_GATE, gated)
        gated.psql_text(TERMINATE)
        say(gate, "COMMIT")
        done = finish(process)
    assert (done.code, outcome(done)["status"]) == (0, "success"), done.err
    assert outcome(done)["retries"] >= 1
    assert_whole(place, gated)


def test_a_session_that_is_terminated_every_time_ends_with_2_and_the_next_is_whole(
    gated: PostgresDatabase, place: Place
) -> None:
    with closed_gate(gated), place.start(*RUN) as process:
        for _ in range(3):
            until(WAITS_AT_GATE, gated)
            gated.psql_text(TERMINATE)
        done = finish(process)
    assert done.failure() == (2, "RIVET_RUN_UNITS_FAILED")
    assert not (place.prefix("gated") / "manifest.json").exists()
    assert_next_is_whole(place, gated)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("waits", [WAITS_AT_GATE, WAITS_FOR_TABLE], ids=["in the stream", "before its first row"])
def test_a_signal_leaves_no_query_behind_and_the_next_is_whole(
    gated: PostgresDatabase, place: Place, number: signal.Signals, code: int, waits: str
) -> None:
    held = "SELECT pg_advisory_xact_lock(4711)" if waits == WAITS_AT_GATE else "LOCK TABLE numbers"
    with holding(gated, held), place.start(*RUN) as process:
        until(waits, gated)
        process.send_signal(number)
        done = finish(process, 30)
        # While what it waited for is still held: nobody else could have ended it.
        until_gone(gated)
    assert done.failure() == (code, "RIVET_RUN_STOPPED")
    assert "Traceback" not in done.err
    assert_next_is_whole(place, gated)


def test_a_killed_process_does_not_stop_the_next_one(gated: PostgresDatabase, place: Place) -> None:
    with closed_gate(gated), place.start(*RUN) as process:
        until(WAITS_AT_GATE, gated)
        process.kill()
        process.communicate()
    assert_next_is_whole(place, gated)


def test_a_second_process_is_busy_and_the_first_is_whole(gated: PostgresDatabase, place: Place) -> None:
    with closed_gate(gated) as gate, place.start(*RUN) as process:
        until(WAITS_AT_GATE, gated)
        before = sessions(gated)
        second = place.rivet(*RUN)
        assert second.failure() == (2, "RIVET_STATE_LOCK_TIMEOUT")
        until_gone(gated, f"(SELECT count(*) FROM pg_stat_activity WHERE {RIVETS}) > {before}")
        say(gate, "COMMIT")
        assert finish(process).code == 0
    assert_whole(place, gated)


def test_a_second_process_that_waits_reads_after_the_first(gated: PostgresDatabase, place: Place) -> None:
    patient = ("--lock-wait", "60", *RUN[2:])
    with closed_gate(gated) as gate, place.start(*RUN) as process:
        until(WAITS_AT_GATE, gated)
        with place.start(*patient) as second:
            say(gate, "COMMIT")
            first, later = finish(process), finish(second)
    assert (first.code, later.code) == (0, 0), later.err
    assert outcome(first)["run_id"] != outcome(later)["run_id"]
    assert Delivered.at(place.prefix("gated")).manifest["run_id"] == outcome(later)["run_id"]
    assert_whole(place, gated)
