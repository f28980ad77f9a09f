from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing

import pytest
from sink_stand_ins import rows

from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.readahead import read_ahead
from rivet_core.engine.watch import Watch
from rivet_core.errors import EnvironmentFailure, InternalError
from rivet_core.protocols import Batch

Opened = Callable[[], Generator[Batch, None, None]]


def nothing() -> None:
    """There is nothing to cancel."""


def readers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rivet-read"]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert readers() == []


class Counted:
    """Counts the batches that were read."""

    def __init__(self, total: int, row_count: int = 10) -> None:
        self.total = total
        self.row_count = row_count
        self.read = 0
        self.closed = threading.Event()

    def opened(self) -> Generator[Batch, None, None]:
        try:
            for number in range(self.total):
                self.read += 1
                yield Batch(data=rows(1 + number * self.row_count, self.row_count))
        finally:
            self.closed.set()

    def settled(self) -> int:
        """How many were read once reading stopped by itself."""
        before = -1
        while before != self.read:
            before = self.read
            time.sleep(0.05)
        return before


class Blocked:
    """A read that blocks until it is cancelled, as a driver waits for its server."""

    def __init__(self, *, deaf: int = 0) -> None:
        self.begun = threading.Event()
        self.cancelled = threading.Event()
        self.closed = threading.Event()
        self.deaf = deaf

    def opened(self) -> Generator[Batch, None, None]:
        try:
            yield Batch(data=rows(1, 1))
            self.begun.set()
            self.cancelled.wait()
            msg = "the statement was cancelled"
            raise OSError(msg)
        finally:
            self.closed.set()

    def cancel(self) -> None:
        if self.deaf:
            # Came too early: nothing was open yet.
            self.deaf -= 1
            return
        self.cancelled.set()


def test_every_batch_arrives_in_order() -> None:
    with read_ahead(Counted(20).opened, Cancelling(nothing), batches=3, size=1 << 30) as batches:
        assert [batch.data["id"][0].as_py() for batch in batches] == list(range(1, 200, 10))


def test_no_more_batches_are_read_ahead_than_asked_for() -> None:
    counted = Counted(100)
    with read_ahead(counted.opened, Cancelling(nothing), batches=3, size=1 << 30) as batches:
        next(batches)
        # One was taken, three wait, and one more is in the reader's hand.
        assert counted.settled() == 5


def test_no_more_bytes_are_read_ahead_than_asked_for() -> None:
    counted = Counted(100)
    with read_ahead(counted.opened, Cancelling(nothing), batches=50, size=2 * rows(1, 10).nbytes + 40) as batches:
        next(batches)
        assert counted.settled() == 4


def test_a_batch_beyond_the_bound_passes_alone() -> None:
    with read_ahead(Counted(3).opened, Cancelling(nothing), batches=5, size=1) as batches:
        assert len(list(batches)) == 3


def test_an_error_arrives_after_the_batches_before_it() -> None:
    def opened() -> Generator[Batch, None, None]:
        yield Batch(data=rows(1, 1))
        msg = "connection lost"
        raise OSError(msg)

    seen = []
    with (
        pytest.raises(OSError, match="connection lost"),
        read_ahead(opened, Cancelling(nothing), batches=5, size=1 << 30) as batches,
    ):
        seen.extend(batches)
    assert len(seen) == 1


def test_an_error_at_the_opening_arrives_too() -> None:
    def opened() -> Generator[Batch, None, None]:
        msg = "no such server"
        raise OSError(msg)

    with (
        pytest.raises(OSError, match="no such server"),
        read_ahead(opened, Cancelling(nothing), batches=5, size=1) as batches,
    ):
        list(batches)


def test_stopping_early_frees_a_reader_that_waits_for_room() -> None:
    counted = Counted(100)
    with read_ahead(counted.opened, Cancelling(nothing), batches=1, size=1 << 30) as batches:
        next(batches)
    assert counted.closed.is_set()


def test_stopping_early_cancels_a_blocked_read_and_closes_it() -> None:
    blocked = Blocked()
    with read_ahead(blocked.opened, Cancelling(blocked.cancel), batches=5, size=1 << 30) as batches:
        next(batches)
        blocked.begun.wait(5)
    assert blocked.closed.is_set()


def test_a_cancel_that_came_too_early_is_repeated() -> None:
    blocked = Blocked(deaf=2)
    with read_ahead(blocked.opened, Cancelling(blocked.cancel), batches=5, size=1 << 30) as batches:
        next(batches)
    assert blocked.closed.is_set()


def test_a_cancel_that_fails_is_repeated() -> None:
    blocked = Blocked()
    calls: list[int] = []

    def cancel() -> None:
        calls.append(1)
        if len(calls) == 1:
            msg = "cancel failed"
            raise OSError(msg)
        blocked.cancel()

    with read_ahead(blocked.opened, Cancelling(cancel), batches=5, size=1 << 30) as batches:
        next(batches)
    assert blocked.closed.is_set()


def test_a_complete_read_is_never_cancelled() -> None:
    calls: list[int] = []
    with read_ahead(Counted(5).opened, Cancelling(lambda: calls.append(1)), batches=1, size=1) as batches:
        list(batches)
    assert calls == []


def test_the_consumers_error_is_the_one_that_is_seen() -> None:
    def consume() -> None:
        with read_ahead(blocked.opened, Cancelling(blocked.cancel), batches=5, size=1 << 30) as batches:
            for _ in batches:
                msg = "consumer"
                raise KeyError(msg)

    blocked = Blocked()
    with pytest.raises(KeyError, match="consumer"):
        consume()


def test_a_read_that_cannot_be_cancelled_is_an_error_and_no_hang() -> None:
    blocked = Blocked()
    with (
        pytest.raises(InternalError, match="cancelled"),
        read_ahead(blocked.opened, Cancelling(nothing), batches=5, size=1 << 30, patience=0.3) as batches,
    ):
        next(batches)
    blocked.cancel()
    for thread in readers():
        thread.join(5)


def fill_the_disk(batches: Iterator[Batch]) -> None:
    next(batches)
    msg = "the disk is full"
    raise OSError(msg)


def test_a_read_that_cannot_be_cancelled_hides_no_earlier_error() -> None:
    blocked = Blocked()
    with (
        pytest.raises(OSError, match="the disk is full"),
        read_ahead(blocked.opened, Cancelling(nothing), batches=5, size=1 << 30, patience=0.3) as batches,
    ):
        fill_the_disk(batches)
    blocked.cancel()
    for thread in readers():
        thread.join(5)


def test_a_driver_that_demands_one_thread_is_opened_read_and_closed_on_it() -> None:
    def opened() -> Generator[Batch, None, None]:
        # sqlite3 refuses any use, closing too, from another thread than the one that connected.
        with closing(sqlite3.connect(":memory:")) as connection:
            cursor = connection.execute("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3")
            for (number,) in cursor:
                yield Batch(data=rows(number, 1))

    with read_ahead(opened, Cancelling(nothing), batches=1, size=1) as batches:
        next(batches)
    with read_ahead(opened, Cancelling(nothing), batches=1, size=1) as batches:
        assert len(list(batches)) == 3


class Silent:
    """A source whose server went silent after two batches: neither the next one nor a cancel returns."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.freed = threading.Event()

    def cancel(self) -> None:
        self.freed.wait(30)

    def opened(self) -> Generator[Batch, None, None]:
        yield Batch(data=rows(1, 10))
        yield Batch(data=rows(11, 10))
        self.asked.set()
        self.freed.wait(30)


@pytest.fixture
def silent(no_thread_is_left: None) -> Iterator[Silent]:
    source = Silent()
    yield source
    source.freed.set()
    for thread in readers():
        thread.join(5)


def left_after_two(silent: Silent) -> None:
    with read_ahead(silent.opened, Cancelling(silent.cancel), batches=5, size=1 << 30, cancel_patience=0.3) as batches:
        assert [next(batches).data.num_rows for _ in range(2)] == [10, 10]
        assert silent.asked.wait(5)


def failed_after_two(silent: Silent) -> None:
    with read_ahead(silent.opened, Cancelling(silent.cancel), batches=5, size=1 << 30, cancel_patience=0.3) as batches:
        assert [next(batches).data.num_rows for _ in range(2)] == [10, 10]
        assert silent.asked.wait(5)
        msg = "the disk is full"
        raise OSError(msg)


def test_a_read_that_is_given_up_ends_with_the_error_behind_its_batches(silent: Silent) -> None:
    cancelling = Cancelling(silent.cancel)
    found: list[Batch] = []

    def watched() -> Generator[Batch, None, None]:
        with Watch(0.2, cancelling, patience=0.3) as watch, closing(silent.opened()) as batches:
            yield from watch.each(batches)

    begun = time.monotonic()
    with (
        pytest.raises(EnvironmentFailure) as caught,
        read_ahead(watched, cancelling, batches=5, size=1 << 30) as batches,
    ):
        found.extend(batches)
    assert time.monotonic() - begun < 5
    assert (caught.value.code, len(found)) == ("RIVET_SOURCE_STATEMENT_TIMEOUT", 2)
    assert len(readers()) == 1


def test_leaving_a_silent_source_waits_no_longer_than_for_its_cancel(silent: Silent) -> None:
    begun = time.monotonic()
    with pytest.raises(EnvironmentFailure) as caught:
        left_after_two(silent)
    assert time.monotonic() - begun < 5
    assert caught.value.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"


def test_leaving_a_silent_source_hides_no_earlier_error(silent: Silent) -> None:
    with pytest.raises(OSError, match="disk"):
        failed_after_two(silent)
