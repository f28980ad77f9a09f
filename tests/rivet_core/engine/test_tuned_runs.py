"""Whole runs under tuning: how large batches are, what is too large, and that a pause or a count ends with the run."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
from crash_world import WORLDS, World, check_delivery
from ledger_worlds import Wrapped, fresh, misbehaving

from rivet_core.engine.preview import preview
from rivet_core.errors import Exit
from rivet_core.events import RowsRead, UnitStarted
from rivet_core.ledger.attempts import Stopped
from rivet_core.protocols import Batch
from rivet_core.requests import Budget, ReadContext, ReadRequest, Tuning
from rivet_core.schema import TableSchema
from rivet_core.types import ColumnRules, Position, Relation, Snapshot, SourceIdentity


def batches(world: World, folder: Path, tuning: Tuning) -> list[int]:
    events: list[Any] = []
    assert world.run(folder, changes={"tuning": tuning}, observe=events.append).error is None
    return [event.rows for event in events if isinstance(event, RowsRead)]


def test_a_source_delivers_batches_of_the_size_that_was_asked_for(tmp_path: Path) -> None:
    assert batches(fresh("full", tmp_path), tmp_path, Tuning(budget=Budget(rows=10))) == [10, 10, 10, 10]


def test_batches_that_are_still_too_large_are_cut(tmp_path: Path) -> None:
    tuning = Tuning(max_batch_bytes=100, on_batch_exceeded="auto_shrink")
    world = fresh("opaque", tmp_path)
    assert max(batches(world, tmp_path, tuning)) < 7
    check_delivery(world, tmp_path)


@pytest.mark.parametrize(
    ("tuning", "code"),
    [
        (Tuning(max_batch_bytes=20, on_batch_exceeded="fail"), "RIVET_SOURCE_BATCH_TOO_LARGE"),
        (Tuning(max_value_bytes=5), "RIVET_SOURCE_VALUE_TOO_LARGE"),
    ],
)
@pytest.mark.parametrize("name", ["full", "seek"])
def test_what_is_too_large_leaves_the_run_open_after_one_attempt(
    name: str, tuning: Tuning, code: str, tmp_path: Path
) -> None:
    world, events = fresh(name, tmp_path), []  # type: ignore[var-annotated]
    outcome = world.run(tmp_path, changes={"tuning": tuning}, observe=events.append)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.exit, outcome.status) == (code, Exit.USAGE, "open")
    assert sum(isinstance(event, UnitStarted) for event in events) == 1
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


def stopped_after(seconds: float, run: Callable[[threading.Event], object]) -> float:
    """Run, ask for the end after so many seconds, and return how long it took from there."""
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.start()
    began = time.monotonic()
    with pytest.raises(Stopped):
        run(stop)
    timer.join()
    return time.monotonic() - began - seconds


def test_a_long_pause_between_batches_ends_with_the_run(tmp_path: Path) -> None:
    world = fresh("full", tmp_path)
    tuning = Tuning(throttle_ms=60_000, budget=Budget(rows=1))
    assert stopped_after(1.0, lambda stop: world.run(tmp_path, changes={"tuning": tuning}, stop=stop)) < 10
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


class Counting(Wrapped):
    """Its counts last until they are cancelled."""

    cancelled: threading.Event
    counting: threading.Event

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        type(self).counting.set()
        type(self).cancelled.wait(60)
        msg = "cancelled"
        raise LookupError(msg)

    def cancel(self) -> None:
        type(self).cancelled.set()
        self._real.cancel()


def test_a_count_that_lasts_long_ends_with_the_run(tmp_path: Path) -> None:
    fresh("full", tmp_path)
    kind = type("Lasting", (Counting,), {"cancelled": threading.Event(), "counting": threading.Event()})
    world = misbehaving(WORLDS["full"], kind)
    assert stopped_after(1.0, lambda stop: world.run(tmp_path, reconcile=True, stop=stop)) < 10
    assert kind.counting.is_set()  # type: ignore[attr-defined] # the class has it


class Pressed(Wrapped):
    """Its server is under more pressure with every question; it notes the batch sizes that its reads were asked for."""

    pressures: Iterator[int]
    asked: list[int]

    def pressure(self) -> int | None:
        return next(type(self).pressures)

    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Any]:
        type(self).asked.append(request.budget.rows)
        return single_rows(self._real.read(request, context))


@contextmanager
def single_rows(read: AbstractContextManager[Iterator[Batch]]) -> Iterator[Iterator[Batch]]:
    """Each row as a batch of its own."""
    with read as batches:
        yield (
            attrs.evolve(
                batch, data=batch.data.slice(row, 1), mark=batch.mark if row == batch.data.num_rows - 1 else None
            )
            for batch in batches
            for row in range(batch.data.num_rows)
        )


@pytest.mark.parametrize("adaptive", [True, False])
def test_later_units_ask_for_smaller_batches_under_pressure(*, adaptive: bool, tmp_path: Path) -> None:
    fresh("ranges", tmp_path)
    kind = type("Pressed", (Pressed,), {"pressures": itertools.count(), "asked": []})
    world = misbehaving(WORLDS["ranges"], kind)
    tuning = Tuning(adaptive=adaptive, budget=Budget(rows=1000))
    assert world.run(tmp_path, changes={"tuning": tuning, "workers": 1}).error is None
    asked: list[int] = kind.asked  # type: ignore[attr-defined] # the class has it
    assert max(asked) == 1000
    assert (min(asked) < 1000) is adaptive
    check_delivery(world, tmp_path)


class Lasting(Wrapped):
    """Its second batch, or its description, never comes until it is cancelled."""

    cancelled: threading.Event

    def _last(self) -> None:
        type(self).cancelled.wait(60)
        msg = "cancelled"
        raise LookupError(msg)

    def cancel(self) -> None:
        type(self).cancelled.set()
        self._real.cancel()


class LastingReads(Lasting):
    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Any]:
        return self._reading(self._real.read(request, context))

    @contextmanager
    def _reading(self, read: AbstractContextManager[Iterator[Batch]]) -> Iterator[Iterator[Batch]]:
        with read as batches:
            yield self._stuck(batches)

    def _stuck(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        yield next(batches)
        self._last()


class LastingDescriptions(Lasting):
    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        self._last()
        return self._real.describe(relation, rules)


@pytest.mark.parametrize(("make", "status"), [(LastingReads, "open"), (LastingDescriptions, "refused")])
def test_an_answer_that_does_not_come_in_time_ends_the_run(make: type[Lasting], status: str, tmp_path: Path) -> None:
    fresh("full", tmp_path)
    kind = type("Lasting", (make,), {"cancelled": threading.Event()})
    events: list[Any] = []
    outcome = misbehaving(WORLDS["full"], kind).run(
        tmp_path, changes={"tuning": Tuning(statement_timeout_s=1, budget=Budget(rows=10))}, observe=events.append
    )
    assert outcome.error is not None
    assert (outcome.error.code, outcome.status) == ("RIVET_SOURCE_STATEMENT_TIMEOUT", status)
    assert sum(isinstance(event, UnitStarted) for event in events) <= 1
    world = WORLDS["full"]
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


class LastingSnapshots(Lasting):
    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        self._last()
        yield Snapshot(token="never")


class LastingAcknowledgements(Lasting):
    def head(self) -> Position:
        head: Position = self._real.head()  # type: ignore[attr-defined] # a stream has it
        return head

    def acknowledge(self, position: Position) -> None:
        del position
        self._last()


@pytest.mark.parametrize(("name", "make"), [("snapshot", LastingSnapshots), ("stream", LastingAcknowledgements)])
def test_a_snapshot_and_an_acknowledgement_are_answers_like_any_other(
    name: str, make: type[Lasting], tmp_path: Path
) -> None:
    world = fresh(name, tmp_path)
    kind = type("Lasting", (make,), {"cancelled": threading.Event()})
    began = time.monotonic()
    outcome = misbehaving(world, kind).run(tmp_path, changes={"tuning": Tuning(statement_timeout_s=1)})
    assert time.monotonic() - began < 30
    assert outcome.error is not None
    assert (outcome.error.code, outcome.status) == ("RIVET_SOURCE_STATEMENT_TIMEOUT", "open")
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


class LastingChecks(Lasting):
    def check(self) -> None:
        self._last()


class LastingIdentities(Lasting):
    def identity(self) -> SourceIdentity:
        self._last()
        return super().identity()  # type: ignore[no-any-return]


@pytest.mark.parametrize("make", [LastingChecks, LastingIdentities, LastingDescriptions])
def test_a_preview_waits_for_no_answer_for_ever(make: type[Lasting], tmp_path: Path) -> None:
    kind = type("Lasting", (make,), {"cancelled": threading.Event()})
    world = misbehaving(fresh("full", tmp_path), kind)
    began = time.monotonic()
    found = preview(world.intent(tmp_path, tuning=Tuning(statement_timeout_s=1)), world.declarations(), None)
    assert time.monotonic() - began < 30
    assert found.error is not None
    assert found.error.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"


class LastingCloses(Wrapped):
    """Closing its reads, and cancelling them, lasts until it is freed."""

    freed: threading.Event

    def cancel(self) -> None:
        type(self).freed.wait(60)

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        with self._real.read(request, context) as batches:
            try:
                yield batches
            finally:
                type(self).freed.wait(60)


def test_a_read_whose_close_does_not_return_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rivet_core.engine.watch._PATIENCE", 0.3)
    fresh("full", tmp_path)
    kind = type("Lasting", (LastingCloses,), {"freed": threading.Event()})
    tuning = Tuning(statement_timeout_s=1, max_batch_bytes=20, on_batch_exceeded="fail")
    began = time.monotonic()
    outcome = misbehaving(WORLDS["full"], kind).run(tmp_path, changes={"tuning": tuning})
    assert time.monotonic() - began < 30
    kind.freed.set()  # type: ignore[attr-defined] # the class has it
    assert outcome.error is not None
    assert outcome.error.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"
