from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Generator

import attrs
import pyarrow as pa
import pytest
import structlog

from rivet_core.engine.adaptation import Adaptation
from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.pace import Pace
from rivet_core.engine.resident import resident_bytes
from rivet_core.engine.watch import Watch
from rivet_core.errors import EnvironmentFailure
from rivet_core.protocols import Batch
from rivet_core.requests import Budget, Tuning

MIB = 1024 * 1024


@attrs.define
class Feed:
    """Batches of so many rows, and whether the read was closed."""

    sizes: tuple[int, ...]
    closed: bool = False

    def read(self) -> Generator[Batch, None, None]:
        try:
            for rows in self.sizes:
                yield Batch(data=pa.record_batch({"n": pa.array(range(rows))}))
        finally:
            self.closed = True


def seconds(pace: Pace, *sizes: int) -> float:
    began = time.monotonic()
    assert [batch.data.num_rows for batch in pace.of(Feed(sizes).read())] == list(sizes)
    return time.monotonic() - began


def memory(*values: int) -> Callable[[], int | None]:
    """A process whose memory goes through these MiB, and stays at the last."""
    left = list(values)

    def resident() -> int:
        return (left.pop(0) if len(left) > 1 else left[0]) * MIB

    return resident


def test_nothing_pauses_where_nothing_is_wanted() -> None:
    assert seconds(Pace(Tuning(), resident=memory(10_000)), 5, 5, 5) < 2


def test_a_full_batch_pauses_in_full_and_a_small_one_by_its_share() -> None:
    assert seconds(Pace(Tuning(throttle_ms=200, budget=Budget(rows=100))), 100) >= 0.2
    assert seconds(Pace(Tuning(throttle_ms=20_000, budget=Budget(rows=10_000))), 50, 50) < 2


def test_no_batch_pauses_longer_than_a_full_one() -> None:
    tuning = Tuning(throttle_ms=100, budget=Budget(rows=1))
    assert seconds(Pace(tuning), 1000) < 2


def test_a_cancel_ends_the_pause_and_every_later_one() -> None:
    pace = Pace(Tuning(throttle_ms=60_000, budget=Budget(rows=1)))
    timer = threading.Timer(0.1, pace.wake)
    timer.start()
    assert seconds(pace, 1, 1, 1) < 5
    timer.join()


def slow(batches: int) -> Generator[Batch, None, None]:
    """Batches that take a hundredth of a second each."""
    for _ in range(batches):
        time.sleep(0.01)
        yield Batch(data=pa.record_batch({"n": pa.array(range(3))}))


def test_reading_gives_way_to_a_server_under_pressure_in_proportion() -> None:
    # From the eleventh batch on three quarters, then half of the speed: its 30 batches take 0.3 s alone, and then 0.48.
    pace = Pace(Tuning(adaptive=True, budget=Budget(rows=1000)), pressure=itertools.count().__next__)
    began = time.monotonic()
    assert len(list(pace.of(slow(30)))) == 30
    assert 0.42 < time.monotonic() - began < 5
    assert pace.batch_rows == 562


def test_a_question_for_the_pressure_is_an_answer_like_any_other() -> None:
    cancelled, read = threading.Event(), []

    def pressure() -> int:
        cancelled.wait(20)
        raise LookupError

    def batches() -> Generator[Batch, None, None]:
        for batch in slow(3):
            read.append(batch)
            yield batch

    pace = Pace(Tuning(adaptive=True), pressure=pressure)
    began = time.monotonic()
    with Watch(0.2, Cancelling(cancelled.set)) as watch, pytest.raises(EnvironmentFailure, match="pressure") as caught:
        list(pace.of((batch for batch in watch.each(batches())), watch))
    assert caught.value.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"
    # The question was too late, and no batch after it.
    assert len(read) == 1
    assert time.monotonic() - began < 5


def test_what_a_question_for_the_pressure_fails_with_in_time_is_no_answer() -> None:
    def pressure() -> int:
        msg = "the server's own limit"
        raise EnvironmentFailure(msg, code="RIVET_SOURCE_STATEMENT_TIMEOUT")

    pace = Pace(Tuning(adaptive=True), pressure=pressure)
    with Watch(60, Cancelling(threading.Event().set)) as watch:
        assert len(list(pace.of((batch for batch in watch.each(slow(3))), watch))) == 3


def test_a_cancel_ends_the_pauses_for_the_servers_sake() -> None:
    pressed = Adaptation(Tuning(adaptive=True, budget=Budget(rows=1_000_000)))
    counts = itertools.count()
    for _ in range(1000):
        pressed.after_batch(counts.__next__)
    pace = Pace(Tuning(), adaptation=pressed, pressure=counts.__next__)
    timer = threading.Timer(0.1, pace.wake)
    timer.start()
    began = time.monotonic()
    # At a two-thousandth of the speed, the five batches would pause as long as pauses may last.
    assert len(list(pace.of(slow(5)))) == 5
    assert time.monotonic() - began < 5
    timer.join()


def test_a_source_that_tells_no_pressure_is_read_at_full_speed() -> None:
    pace = Pace(Tuning(adaptive=True, budget=Budget(rows=1000)))
    list(pace.of(slow(20)))
    assert pace.batch_rows == 1000


def test_closing_it_closes_the_read() -> None:
    feed = Feed((1, 1))
    batches = Pace(Tuning()).of(feed.read())
    next(batches)
    batches.close()
    assert feed.closed


def test_reading_waits_until_the_memory_is_below_its_threshold() -> None:
    resident = memory(200, 200, 200, 50)
    assert 0.15 < seconds(Pace(Tuning(memory_threshold_mb=100), resident=resident, patience=5), 1) < 3


def test_a_wait_for_memory_that_does_not_help_is_the_last_one_until_it_was_low_again() -> None:
    pace = Pace(Tuning(memory_threshold_mb=100), resident=memory(200), patience=0.3)
    assert 0.3 <= seconds(pace, *[1] * 20) < 3
    pace = Pace(Tuning(memory_threshold_mb=100), resident=memory(*[200] * 10, 50, 200), patience=0.3)
    assert 0.6 <= seconds(pace, *[1] * 30) < 5


def test_memory_that_cannot_be_known_pauses_nothing() -> None:
    assert seconds(Pace(Tuning(memory_threshold_mb=1), resident=lambda: None), 1, 1) < 2


def test_a_threshold_that_stays_exceeded_is_said() -> None:
    with structlog.testing.capture_logs() as logs:
        seconds(Pace(Tuning(memory_threshold_mb=100), resident=memory(200), patience=0.1), 1)
    assert [line["event"] for line in logs] == ["memory_stays_high"]


def test_the_memory_of_this_process_is_known_on_linux() -> None:
    held = resident_bytes()
    assert held is not None
    assert 10 * MIB < held < 100_000 * MIB
