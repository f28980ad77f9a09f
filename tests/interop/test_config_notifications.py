"""Whom each tool tells: a server of our own stands in for Slack, and counts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import attrs
import pytest
from interop_pair import RUN, Pair, export
from postgres_server import PostgresDatabase


@attrs.define
class Slack:
    """Remembers where it was called; the path tells by whom."""

    url: str
    paths: list[str] = attrs.field(factory=list)

    def told(self) -> list[bool]:
        """Whether we were told, whether the Rust tool was; forgets it."""
        found = ["/ours" in self.paths, "/theirs" in self.paths]
        self.paths.clear()
        return found


@pytest.fixture
def slack() -> Iterator[Slack]:
    paths: list[str] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that is overridden
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Slack(f"http://127.0.0.1:{server.server_port}", paths)
        server.shutdown()
        thread.join()


#: What is asked for, what happens, whether each tool tells, and under which words a difference is listed.
WANTED: dict[str, tuple[dict[str, Any], str, list[bool], str | None]] = {
    "a failure": ({"on": ["failure"]}, "gate", [True, True], None),
    "a missing table": ({"on": ["failure"]}, "missing", [True, True], None),
    "a success": ({"on": ["failure", "schema_change"]}, "success", [False, False], None),
    "a changed schema": ({"on": ["schema_change"]}, "warn", [True, True], None),
    "a changed schema that fails": ({"on": ["schema_change"]}, "fail", [True, True], None),
    "a failure of a changed schema": ({"on": ["failure"]}, "fail", [True, True], None),
    "a changed schema alone": ({"on": ["failure"]}, "warn", [False, False], None),
    "nothing": ({"on": []}, "gate", [False, False], None),
    "nothing said": ({}, "gate", [True, False], "without `on`"),
    "a changed schema that is accepted": ({"on": ["schema_change"]}, "continue", [False, True], "schema_change"),
    "a flaw": ({"on": ["degraded"]}, "grown", [True, False], "degraded"),
}


#: What only a second run can notice.
SECOND = {"warn", "fail", "continue", "grown"}


def happens(database: PostgresDatabase, what: str) -> dict[str, Any]:
    """An export that does it."""
    if what == "gate":
        return export("x", "t", quality={"row_count_min": 5})
    if what in {"warn", "fail", "continue"}:
        database.run_sql("ALTER TABLE t ADD COLUMN extra int")
        return export("x", "t", on_schema_drift=what)
    if what == "grown":
        database.run_sql("UPDATE t SET name = repeat('x', 100)")
    return export("x", "nowhere" if what == "missing" else "t")


@pytest.mark.parametrize("name", WANTED)
def test_both_tell_of_the_same(
    pair: Pair, postgres_database: PostgresDatabase, slack: Slack, told: str, name: str
) -> None:
    keys, what, wanted, word = WANTED[name]
    own = Pair(rust=pair.rust, folder=pair.folder, url=postgres_database.url)
    postgres_database.run_sql("CREATE TABLE t AS SELECT 1 AS id, 'a' AS name")
    if what in SECOND:
        own.configure([export("x", "t")])
        assert own.run().codes == (0, 0)
    notified = {"slack": {"webhook_url": "${HOOK}", **keys}}
    own.configure([happens(postgres_database, what)], notifications=notified)
    own.run_ours(HOOK=f"{slack.url}/ours")
    own.run_theirs(HOOK=f"{slack.url}/theirs")
    assert slack.told() == wanted
    assert word is None or word in told


def test_an_address_in_a_variable_is_the_same(pair: Pair, slack: Slack) -> None:
    notified = {"slack": {"webhook_url_env": "HOOK", "on": ["failure"]}}
    pair.configure([export("x", "items", quality={"row_count_min": 5000})], notifications=notified)
    pair.run_ours(HOOK=f"{slack.url}/ours")
    pair.run_theirs(HOOK=f"{slack.url}/theirs")
    assert slack.told() == [True, True]


@pytest.mark.parametrize("address", ["http://127.0.0.1:1/x", "no address"])
def test_a_message_that_does_not_arrive_changes_nothing(pair: Pair, address: str) -> None:
    notified = {"slack": {"webhook_url": "${HOOK}", "on": ["failure"]}}
    pair.configure([export("x", "items", quality={"row_count_min": 5000})], notifications=notified)
    assert pair.run(HOOK=address).codes == (3, 3)


@pytest.mark.parametrize("arguments", [("--no-notify", *RUN), (*RUN, "--no-notify")])
def test_nobody_is_told_with_the_option(pair: Pair, slack: Slack, arguments: tuple[str, ...]) -> None:
    notified = {"slack": {"webhook_url": f"{slack.url}/ours", "on": ["failure"]}}
    pair.configure([export("x", "items", quality={"row_count_min": 5000})], notifications=notified)
    assert pair.rivet(*arguments).codes == (3, 3)
    assert slack.told() == [False, False]
