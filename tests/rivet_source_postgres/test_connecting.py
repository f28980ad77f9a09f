"""A server that takes a connection and says nothing: the wait for it ends when nobody wants it any more."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from rivet_core.errors import RivetError
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Query, Secret, Table, Verdict
from rivet_source_postgres.driver import Connecting
from rivet_source_postgres.options import PostgresOptions, TuningOptions
from rivet_source_postgres.plugin import make_source

PATIENCE_S = 5.0


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that never answers; the driver's library would wait 15 s for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def source_at(port: int) -> Any:
    return make_source(PostgresOptions(host="127.0.0.1", port=port, user="u", database="d"))


def cancelled_after(source: Any, seconds: float, question: Any) -> tuple[RivetError, float]:
    timer = threading.Timer(seconds, source.cancel)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(RivetError) as caught:
        question()
    timer.join()
    return caught.value, time.monotonic() - begun


def test_a_cancel_ends_the_wait_for_a_connection(silent: int) -> None:
    with closing(source_at(silent)) as source:
        error, seconds = cancelled_after(source, 0.3, source.check)
    assert seconds < PATIENCE_S
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert error.remedy
    assert source.verdict(error) is Verdict.RECONNECT


def test_a_cancel_ends_the_wait_for_a_snapshot(silent: int) -> None:
    def hold() -> None:
        with source.snapshot():
            pass

    with closing(source_at(silent)) as source:
        assert cancelled_after(source, 0.3, hold)[1] < PATIENCE_S


def test_the_next_attempt_can_be_ended_as_well(silent: int) -> None:
    with closing(source_at(silent)) as source:
        for _ in range(2):
            assert cancelled_after(source, 0.3, source.check)[1] < PATIENCE_S


def test_nobody_else_waits_for_a_server_that_never_answers(silent: int, room: Any) -> None:
    with closing(source_at(silent)) as source:
        waiting = threading.Thread(target=lambda: suppressed(source.check))
        waiting.start()
        time.sleep(0.2)
        begun = time.monotonic()
        with closing(room.source()) as other:
            other.check()
        assert time.monotonic() - begun < PATIENCE_S
        source.cancel()
        waiting.join(PATIENCE_S)
        assert not waiting.is_alive()


def suppressed(call: Any) -> None:
    with suppress(RivetError):
        call()


def backends(room: Any) -> set[str]:
    return set(room.psql_text("SELECT pid FROM pg_stat_activity WHERE application_name = 'rivet'").split())


def test_a_connection_that_comes_too_late_is_closed(room: Any) -> None:
    source = room.source()
    before = backends(room)
    for delay in (0, 0.001, 0.005, 0.01, 0.02):
        threading.Timer(delay, source.cancel).start()
        suppressed(source.check)
        source.close()
    end = time.monotonic() + 10
    # Those of tests before may leave meanwhile.
    while (new := backends(room) - before) and time.monotonic() < end:
        time.sleep(0.05)
    assert not new
    # And the source is as good as before.
    source.check()
    source.close()


@pytest.mark.parametrize("relation", [Query("SELECT a FROM t"), Table("t")], ids=str)
def test_a_cancel_ends_the_wait_for_a_lock_before_the_first_row(room: Any, relation: Any) -> None:
    room.run_sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
    columns = room.own.describe(relation, ColumnRules()).columns
    with room.locked("t"), closing(room.source(tuning=TuningOptions(lock_timeout_s=60))) as source:
        source.check()

        def ask() -> None:
            if isinstance(relation, Query):
                source.describe(relation, ColumnRules())
            request = ReadRequest(relation=relation, columns=columns)
            with source.read(request, ReadContext()) as batches:
                list(batches)

        assert cancelled_after(source, 0.5, ask)[1] < PATIENCE_S


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_in_the_main_thread_ends_the_wait(silent: int, name: str) -> None:
    """As for the commands that run nothing: ``check`` and ``init``."""
    program = f"""
import os, signal, threading
from rivet_source_postgres.options import PostgresOptions, TuningOptions
from rivet_source_postgres.plugin import make_source
class Received(BaseException): pass
def received(number, frame): raise Received
signal.signal(signal.{name}, received)
threading.Timer(0.5, os.kill, (os.getpid(), signal.{name})).start()
try:
    make_source(PostgresOptions(host="127.0.0.1", port={silent}, user="u", database="d")).check()
except Received:
    print("ended")
"""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr
    assert time.monotonic() - begun < PATIENCE_S + 3


def test_a_cancel_that_blocks_keeps_no_other_session_from_being_cancelled(room: Any) -> None:
    class Session:
        """The one connection whose cancel nobody takes, or another one."""

        def __init__(self, *, blocks: bool) -> None:
            self.blocks = blocks
            self.cancelled = threading.Event()

        def cancel(self) -> None:
            if self.blocks:
                freed.wait(30)
            self.cancelled.set()

    freed = threading.Event()
    source = room.source()
    first, second = Session(blocks=True), Session(blocks=False)
    source._session, source._second = first, second
    cancelling = threading.Thread(target=source.cancel)
    cancelling.start()
    assert second.cancelled.wait(PATIENCE_S)
    # It returns behind the last of them: who waits for it wants none to come later.
    assert cancelling.is_alive()
    freed.set()
    cancelling.join(PATIENCE_S)
    assert first.cancelled.is_set()


def test_a_connection_that_came_too_late_may_fail_to_close() -> None:
    class Broken:
        def close(self) -> None:
            raise OSError

    connecting: Any = Connecting(Secret("postgresql://h/d"))
    connecting._connection = Broken()
    connecting.give_up()
    assert connecting._connection is None


def test_a_connection_that_was_handed_out_is_no_longer_the_waits_to_close(room: Any) -> None:
    connecting = Connecting(Secret(room.url))
    connection = connecting.wait()
    try:
        connecting.give_up()
        with closing(connection.statement()) as statement:
            statement.run("SELECT 1 AS one")
            batch = statement.next_batch()
            assert batch is not None
            assert batch.to_pydict() == {"one": [1]}
    finally:
        connection.close()


@pytest.mark.parametrize("asks", ["rows", "schema"])
def test_a_connection_that_takes_no_more_statements_is_an_error_of_ours(room: Any, asks: str) -> None:
    with closing(room.source()) as source:
        source.check()
        session = source._main()
        # As after its connection died.
        session.open()._connection.close()
        with pytest.raises(RivetError) as caught:
            getattr(session, asks)("SELECT 1 AS one")
        assert caught.value.code.startswith("RIVET_SOURCE_")
        # And the next question opens another one.
        assert session.rows("SELECT 1 AS one") == [{"one": 1}]
