"""A server that dies in the middle of a run: it comes back soon, late, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from e2e_command import RUN, Ended, Place, export, finish, outcome, table
from e2e_gate import ROWS, WAITS_AT_GATE, closed_gate, make_gated, until
from e2e_mortal_server import MortalServer, mortal
from e2e_reader import Delivered
from e2e_secrets import traces

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def one_server() -> Iterator[MortalServer]:
    with mortal() as server:
        make_gated(server.database)
        yield server


@pytest.fixture
def server(one_server: MortalServer, place: Place) -> MortalServer:
    """The server, alive, and an export of a view that stops in its middle."""
    configure(one_server, place, max_retries=8)
    return one_server


def configure(server: MortalServer, place: Place, *, max_retries: int) -> None:
    place.configure(
        {"url": server.database.url, "tuning": {"max_retries": max_retries, "retry_backoff_ms": 400}},
        [export("gated", table("gated"))],
    )


def assert_whole(place: Place, server: MortalServer, *ended: Ended) -> None:
    delivered = Delivered.at(place.prefix("gated"))
    assert delivered.manifest["row_count"] == ROWS
    assert {row[0] for row in delivered.rows()} == {str(number) for number in range(1, ROWS + 1)}
    assert place.rivet("validate", "-c", "rivet.yaml").code == 0
    assert traces(server.password, place.folder, *ended) == []


def test_a_server_that_recovers_from_a_killed_process(server: MortalServer, place: Place) -> None:
    with closed_gate(server.database), place.start(*RUN) as process:
        until(WAITS_AT_GATE, server.database)
        pid = server.database.psql_text(f"SELECT pid FROM pg_stat_activity WHERE {WAITS_AT_GATE}")
        # It ends the session that holds the gate, too.
        server.kill_backend(int(pid))
        done = finish(process)
    assert (done.code, outcome(done)["status"]) == (0, "success"), done.err
    assert outcome(done)["retries"] >= 1
    assert_whole(place, server, done)


def test_a_server_that_is_stopped_at_once_and_started_again(server: MortalServer, place: Place) -> None:
    with closed_gate(server.database), place.start(*RUN) as process:
        until(WAITS_AT_GATE, server.database)
        server.stop_at_once()
        server.start()
        done = finish(process)
    assert (done.code, outcome(done)["status"]) == (0, "success"), done.err
    assert outcome(done)["retries"] >= 1
    assert_whole(place, server, done)


def test_a_server_that_stays_away_ends_the_run_with_2_and_the_next_one_succeeds(
    server: MortalServer, place: Place
) -> None:
    configure(server, place, max_retries=1)
    with closed_gate(server.database), place.start(*RUN) as process:
        until(WAITS_AT_GATE, server.database)
        server.stop_at_once()
        try:
            done = finish(process)
            meanwhile = place.run()
        finally:
            server.start()
    assert done.code == 2
    assert "after 2 attempts" in done.error()["error"]
    assert "run the same command again" in done.error()["remedy"]
    assert meanwhile.failure() == (2, "RIVET_SOURCE_CONNECT_FAILED")
    assert not (place.prefix("gated") / "manifest.json").exists()
    again = place.run()
    assert again.code == 0, again.err
    assert_whole(place, server, done, meanwhile, again)
