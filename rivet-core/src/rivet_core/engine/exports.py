"""Several exports of one command: their order, how many at a time, and what a request to stop makes of them."""

from __future__ import annotations

import queue
import threading
import time
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.engine.bugs import bug
from rivet_core.engine.export import run_export
from rivet_core.engine.outcome import NEXT_RUN, Outcome
from rivet_core.errors import EnvironmentFailure
from rivet_core.events import PartRecorded, RowsRead, RunOpened, UnitDone
from rivet_core.ledger.attempts import Stopped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivet_core.engine.declarations import Declarations
    from rivet_core.engine.settings import Settings
    from rivet_core.events import Event
    from rivet_core.requests import Intent
    from rivet_core.state import StateDatabase

#: More exports than this never run at one time.
MOST_AT_A_TIME: Final = 16
#: How long an export may take to end after it was asked to; what it does not finish, the next run does.
GRACE_SECONDS: Final = 15.0

_POLL_SECONDS = 0.1


@attrs.frozen(kw_only=True)
class ExportJob:
    """One export with the plugins that it uses."""

    intent: Intent
    declarations: Declarations


@attrs.frozen(kw_only=True)
class Ended:
    """What the exports came to.

    :param outcomes: in the order of the jobs.
    :param bytes_read: input bytes that this process read, in the same order.
    :param alive: a thread did not end within the grace; the process must not wait for it.
    """

    outcomes: tuple[Outcome, ...]
    bytes_read: tuple[int, ...]
    alive: bool = False


def run_exports(
    jobs: Sequence[ExportJob],
    database: StateDatabase,
    settings: Settings,
    *,
    at_a_time: int = 1,
    grace_seconds: float = GRACE_SECONDS,
) -> Ended:
    """Run exports in their order; one that fails does not stop the others.

    Exports run in threads of their own, so that a signal, which arrives in the main thread, never breaks into the
    middle of a durable step: whoever wants an end sets ``settings.stop``.

    :param at_a_time: at most :data:`MOST_AT_A_TIME`.
    :param grace_seconds: how long exports may take to end after ``settings.stop`` was set.
    :returns: an outcome for every job, for the stopped ones and those that never began, too.
    """
    account = _Account(settings)
    watched = attrs.evolve(settings, observe=account.observe)
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(jobs)):
        waiting.put(number)

    def work() -> None:
        while not settings.stop.is_set():
            try:
                number = waiting.get_nowait()
            except queue.Empty:
                return
            job = jobs[number]
            account.finish(number, _run(job, database, watched, account))

    workers = [
        # Daemons: one that hangs in a driver must not keep a stopped process alive.
        threading.Thread(target=work, name=f"export-{number}", daemon=True)
        for number in range(max(1, min(at_a_time, MOST_AT_A_TIME, len(jobs))))
    ]
    for worker in workers:
        worker.start()
    _wait(workers, settings.stop, grace_seconds)
    return Ended(
        outcomes=tuple(account.outcome(number, job.intent.name) for number, job in enumerate(jobs)),
        bytes_read=tuple(account.bytes_read(job.intent.name) for job in jobs),
        alive=any(worker.is_alive() for worker in workers),
    )


def _wait(workers: Sequence[threading.Thread], stop: threading.Event, grace_seconds: float) -> None:
    deadline: float | None = None
    while any(worker.is_alive() for worker in workers):
        for worker in workers:
            worker.join(_POLL_SECONDS)
        if stop.is_set():
            deadline = deadline or time.monotonic() + grace_seconds
            if time.monotonic() >= deadline:
                return


def _run(job: ExportJob, database: StateDatabase, settings: Settings, account: _Account) -> Outcome:
    try:
        outcome = run_export(job.intent, job.declarations, database, settings)
        if outcome.run_id is None and settings.stop.is_set():
            return account.stopped(job.intent.name)
        return outcome
    except Stopped:
        return account.stopped(job.intent.name)
    # A plugin that calls sys.exit must not take the other exports with it.
    except BaseException as error:  # noqa: BLE001 - it is in the outcome, with what it was raised from
        return attrs.evolve(account.stopped(job.intent.name), error=bug(error))


class _Account:
    """What is known of each export while it runs; used from several threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: dict[str, RunOpened] = {}
        self._parts: dict[str, list[PartRecorded]] = {}
        self._recorded: set[str] = set()
        self._began: dict[str, float] = {}
        self._read: dict[str, int] = {}
        self._outcomes: dict[int, Outcome] = {}

    def observe(self, event: Event) -> None:
        with self._lock:
            match event:
                case RunOpened():
                    self._opened[event.export] = event
                    self._began[event.export] = time.monotonic()
                case PartRecorded():
                    self._parts.setdefault(event.export, []).append(event)
                    self._recorded.add(event.export)
                case UnitDone():
                    self._recorded.add(event.export)
                case RowsRead():
                    self._read[event.export] = self._read.get(event.export, 0) + event.bytes
        self._settings.observe(event)

    def finish(self, number: int, outcome: Outcome) -> None:
        with self._lock:
            self._outcomes[number] = outcome

    def outcome(self, number: int, export: str) -> Outcome:
        with self._lock:
            outcome = self._outcomes.get(number)
        return self.stopped(export) if outcome is None else outcome

    def bytes_read(self, export: str) -> int:
        with self._lock:
            return self._read.get(export, 0)

    def stopped(self, export: str) -> Outcome:
        """Return the outcome of an export that was asked to end; of its parts only this process's are known."""
        with self._lock:
            opened = self._opened.get(export)
            parts = self._parts.get(export, [])
            goes_on = opened is not None and opened.resumable and (opened.resumed or export in self._recorded)
            seconds = time.monotonic() - self._began.get(export, time.monotonic())
        if opened is None:
            message, remedy = f"export {export} was stopped before its run was opened", "run the same command again"
        else:
            message = f"export {export} was stopped; its run {opened.run_id} stays open"
            remedy = f"run the same command again: {NEXT_RUN[goes_on]}"
        return Outcome(
            export=export,
            run_id=None if opened is None else opened.run_id,
            status="refused" if opened is None else "open",
            rows=sum(part.rows for part in parts),
            parts=len(parts),
            size=sum(part.size for part in parts),
            seconds=seconds,
            resumed=opened is not None and opened.resumed,
            goes_on=goes_on,
            error=EnvironmentFailure(message, code="RIVET_RUN_STOPPED", remedy=remedy, transient=True),
        )
