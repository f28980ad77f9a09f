"""Counts what happens to one export, tells observers and the journal, and makes the outcome of it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.gates.result import GateResult
from rivet_core.engine.outcome import Outcome
from rivet_core.errors import RivetError, StaleWriter
from rivet_core.events import GateJudged, RetryScheduled, RowsRead, RunClosed, Warned
from rivet_core.state.reads import has_recorded
from rivet_core.state.rows import PartTotals
from rivet_core.types import told, without_url_passwords

if TYPE_CHECKING:
    from rivet_core.engine.open_run import OpenedRun
    from rivet_core.engine.settings import Settings
    from rivet_core.events import Event


class Tally:
    """One export's running account; used from several threads."""

    def __init__(self, export: str, settings: Settings) -> None:
        self._export = export
        self._settings = settings
        self._lock = threading.Lock()
        self._opened: OpenedRun | None = None
        self._retries = 0
        self._warnings: list[str] = []
        self._gates: list[GateResult] = []

    def begin(self, opened: OpenedRun) -> None:
        """Take the run that was opened; one that replaces a run whose snapshot died begins a new account."""
        self._opened = opened
        self._retries = 0
        self._warnings.clear()
        self._gates.clear()

    def emit(self, event: Event) -> None:
        """Count an event, let it enter the journal, and tell observers."""
        with self._lock:
            match event:
                case RetryScheduled():
                    self._retries += 1
                case Warned():
                    self._warnings.append(event.message)
                case GateJudged():
                    self._gates.append(GateResult(gate=event.gate, verdict=event.verdict, detail=event.detail))
        if self._opened is not None and not isinstance(event, RowsRead):
            self._opened.run.note(event)
        self._settings.observe(event)

    def outcome(self, status: str, error: RivetError | None = None) -> Outcome:
        """Return the outcome of what was counted; rows and parts are the state's, not this process's."""
        error = None if error is None else told(error)
        opened = self._opened
        if opened is None:
            return Outcome(export=self._export, run_id=None, status="refused", error=error)
        try:
            totals, nulled = opened.run.all_totals(), opened.run.nulled()
            goes_on = opened.plan.resumable and has_recorded(opened.run.access.database, opened.run.run_id)
        except RivetError as broken:
            # The state cannot be asked any more; what went wrong first is what a person needs.
            totals, nulled, error = PartTotals(0, 0, 0), (), error or broken
            goes_on = opened.plan.resumable
        return Outcome(
            export=self._export,
            run_id=opened.run.run_id,
            status=status,
            rows=totals.rows,
            parts=totals.parts,
            size=totals.size,
            retries=self._retries,
            resumed=opened.resumed,
            goes_on=goes_on,
            completed=opened.completed,
            abandoned=opened.abandoned,
            destination=without_url_passwords(opened.run.access.destination.uri()),
            gates=tuple(self._gates),
            nulled=nulled,
            warnings=tuple(self._warnings),
            error=error,
        )

    def close(self, outcome: Outcome) -> Outcome:
        """Record an outcome (step 11) and tell observers.

        A process that was superseded records nothing; one whose state fails keeps its first error.
        """
        opened = self._opened
        if opened is None:
            return outcome
        self.emit(
            RunClosed(
                export=self._export,
                run_id=opened.run.run_id,
                status=outcome.status,
                rows=outcome.rows,
                parts=outcome.parts,
                size=outcome.size,
                seconds=outcome.seconds,
                error=None if outcome.error is None else str(outcome.error),
            )
        )
        if not isinstance(outcome.error, StaleWriter):
            try:
                opened.run.record_outcome(outcome.to_json())
            except RivetError as error:
                return outcome if outcome.error is not None else attrs.evolve(outcome, error=error)
        return outcome
