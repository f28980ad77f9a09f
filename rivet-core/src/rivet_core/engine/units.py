"""Reads the units of an open run: several at a time, each with its attempts, until all are done or one has failed."""

from __future__ import annotations

import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, NoReturn, TypeGuard

import attrs

from rivet_core.capabilities import Restart
from rivet_core.engine.committer import Committer
from rivet_core.engine.narrowing import Narrowing
from rivet_core.engine.producer import ProductionFailed
from rivet_core.engine.sink import UnitTask
from rivet_core.engine.sink.task import restarts_at_marks
from rivet_core.errors import EnvironmentFailure, RivetError, SnapshotGone
from rivet_core.events import PartRecorded, RetryScheduled, RowsRead, UnitDone, UnitFailed, UnitStarted
from rivet_core.ledger.attempts import Stopped
from rivet_core.ledger.backoff import backoff_seconds
from rivet_core.ledger.finished import FinishedPart
from rivet_core.types import Verdict, redact, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rivet_core.engine.producer import Producer
    from rivet_core.engine.reconciling import SourceCounts
    from rivet_core.events import Event
    from rivet_core.ledger.finished import RestartPoint
    from rivet_core.ledger.run import RunLedger
    from rivet_core.ledger.unit import Delivered
    from rivet_core.planning import Plan
    from rivet_core.requests import Unit
    from rivet_core.types import Snapshot

_POLL_SECONDS = 0.2
#: Of units that fail beside the first one, so many are told with their reasons.
_MOST_NAMED = 3


@attrs.frozen(kw_only=True)
class UnitReading:
    """What reading the units of one run needs.

    :param snapshot: the run's shared snapshot, held open by the caller.
    :param end_roll: called when a roll's last mark is recorded and before anything more is read; returns the number of
        the next roll.
    :param counts: asks the source for the units' rows, for ``--reconcile``.
    """

    plan: Plan
    run: RunLedger
    producer: Producer
    emit: Callable[[Event], None]
    stop: threading.Event
    end_roll: Callable[[], int]
    snapshot: Snapshot | None = None
    counts: SourceCounts | None = None
    narrowing: Narrowing = attrs.field(factory=Narrowing)

    def cancel(self) -> None:
        """End everything that is blocked in the source."""
        self.producer.cancel()
        if self.counts is not None:
            self.counts.cancel()


def read_units(reading: UnitReading, units: Sequence[Unit]) -> None:
    """Read every unit.

    When a unit fails for the source's sake, the others are read to their ends, so that the next run has only that one
    to read; any other failure ends them at once.

    :raises RivetError: the first failure.
    :raises Stopped: when ``stop`` was set from outside.
    """
    failures: list[BaseException] = []
    halt = threading.Event()
    with ThreadPoolExecutor(max_workers=reading.plan.workers, thread_name_prefix="unit") as pool:
        waiting = {pool.submit(_read_unit, reading, unit, halt) for unit in units}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    _collect(future, failures, halt)
                if reading.stop.is_set() or halt.is_set():
                    halt.set()
                    reading.cancel()
        except BaseException:
            # Ctrl-C lands here, in the main thread: end the workers before the pool waits for them. A read that began
            # while the others were cancelled is cancelled in the next round.
            halt.set()
            while waiting:
                reading.cancel()
                _, waiting = wait(waiting, timeout=_POLL_SECONDS)
            raise
    real = [failure for failure in failures if not isinstance(failure, Stopped)]
    if real:
        raise _together(real)
    if failures:
        raise failures[0]


def _together(failures: list[BaseException]) -> BaseException:
    """Return the first failure, which names the other failed units, too: nobody else tells why they failed."""
    first, *others = failures
    more = [error.message for error in others if _is_of_a_unit(error)]
    if not more or not _is_of_a_unit(first):
        return first
    message = "; ".join((first.message, *more[:_MOST_NAMED]))
    rest = len(more) - _MOST_NAMED
    first.message = f"{message}; and {rest} more" if rest > 0 else message
    return first


def _is_of_a_unit(error: BaseException) -> TypeGuard[EnvironmentFailure]:
    return isinstance(error, EnvironmentFailure) and error.code == "RIVET_RUN_UNITS_FAILED"


def _collect(future: Future[None], failures: list[BaseException], halt: threading.Event) -> None:
    error = future.exception()
    if error is None:
        return
    failures.append(error)
    if not _is_of_a_unit(error):
        halt.set()


def _read_unit(reading: UnitReading, unit: Unit, halt: threading.Event) -> None:
    plan = reading.plan
    attempts = 1 if plan.restart is Restart.NEVER else max(1, plan.intent.max_attempts)
    for number in range(1, attempts + 1):
        if halt.is_set():
            raise Stopped
        try:
            _attempt(reading, unit, halt)
        except ProductionFailed as failed:
            if halt.is_set():
                raise Stopped from failed.error
            if isinstance(failed.error, SnapshotGone):
                raise failed.error from None
            text = _text(failed.error)
            if failed.verdict in {Verdict.FATAL, Verdict.CONFIG} or number == attempts:
                reading.emit(UnitFailed(**_ids(reading), unit=unit.id, error=text))
                _give_up(unit, failed, number)
            seconds = backoff_seconds(plan.intent.retry_backoff_ms / 1000, number)
            reading.emit(
                RetryScheduled(**_ids(reading), unit=unit.id, attempt=number, wait_seconds=seconds, error=text)
            )
            # Not a library's sleep: it must end at once when the run is stopped.
            if halt.wait(seconds):
                raise Stopped from failed.error
        else:
            if reading.counts is not None:
                reading.counts.end(unit)
            reading.emit(UnitDone(**_ids(reading), unit=unit.id))
            return


def _attempt(reading: UnitReading, unit: Unit, halt: threading.Event) -> None:
    plan = reading.plan
    ledger = reading.run.begin(unit.id, stop=halt)
    reading.emit(UnitStarted(**_ids(reading), unit=unit.id, attempt=ledger.attempt))
    if reading.counts is not None:
        reading.counts.begin(unit, fresh=ledger.mark is None)
    task = UnitTask(
        unit=unit,
        attempt=ledger.attempt,
        mark=ledger.mark if restarts_at_marks(unit, plan) else None,
        snapshot=reading.snapshot,
    )

    def progress(rows: int, size: int) -> None:
        if halt.is_set():
            raise Stopped
        reading.emit(RowsRead(**_ids(reading), unit=unit.id, rows=rows, bytes=size))

    def recorded(point: RestartPoint, parts: tuple[Delivered, ...]) -> None:
        del point
        for part in parts:
            reading.emit(
                PartRecorded(**_ids(reading), unit=unit.id, key=part.key, rows=part.rows, size=part.receipt.size)
            )

    with (
        Committer(ledger, recorded) as committer,
        reading.producer.produce(task, progress) as produced,
    ):
        for item in produced:
            committer.submit(reading.narrowing.narrowed(item) if isinstance(item, FinishedPart) else item)
            if getattr(item, "roll", False):
                committer.drain()
                ledger.next_roll(reading.end_roll())


def _ids(reading: UnitReading) -> dict[str, str]:
    return {"export": reading.plan.intent.name, "run_id": reading.run.run_id}


def _text(error: BaseException) -> str:
    return str(told(error)) if isinstance(error, RivetError) else redact(f"{type(error).__name__}: {error}")


def _give_up(unit: Unit, failed: ProductionFailed, attempts: int) -> NoReturn:
    error = failed.error
    if isinstance(error, RivetError) and failed.verdict in {Verdict.FATAL, Verdict.CONFIG}:
        # As it is, so that what it was raised from stays its cause.
        raise error
    transient = failed.verdict in {Verdict.RETRY, Verdict.RECONNECT}
    msg = f"unit {unit.id} failed after {attempts} attempt{'s' * (attempts > 1)}: {_text(error)}"
    raise EnvironmentFailure(
        msg,
        code="RIVET_RUN_UNITS_FAILED",
        remedy="nothing recorded was lost: run the same command again",
        transient=transient,
    ) from error
