"""What the source counts of each unit, for ``--reconcile``: in the read's own snapshot, else before and right after it.

A unit that an earlier process read is counted when the gates are judged; then nobody can know what came in between.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

import attrs

from rivet_core.capabilities import Restart
from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.watch import Watch, relation_text
from rivet_core.errors import Place, UsageError
from rivet_core.requests import ReadContext
from rivet_core.types import Verdict, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rivet_core.planning import Plan
    from rivet_core.protocols import Source
    from rivet_core.requests import Unit
    from rivet_core.types import Snapshot

_ATTEMPTS = 2


@attrs.frozen(kw_only=True)
class UnitCount:
    """One unit's rows, there and here.

    :param recorded: rows of its parts.
    :param rows: what the source counted; None when it could not.
    :param certain: the counted state is the one that was read, or did not change while it was read.
    :param problem: why there is no count.
    """

    unit: str
    recorded: int
    rows: int | None
    certain: bool
    problem: str | None = None


@attrs.frozen
class _Count:
    rows: int | None
    problem: str | None = None


class SourceCounts:
    """Counts units, each time on a source of its own; used from several threads.

    :param snapshot: the state that the units are read in.
    :param seconds: how long one count may take; 0 for ever.
    """

    def __init__(self, open_source: Callable[[], Source], snapshot: Snapshot | None, seconds: float = 0) -> None:
        self._open_source = open_source
        self._snapshot = snapshot
        self._seconds = seconds
        self._lock = threading.Lock()
        self._open: set[Cancelling] = set()
        self._before: dict[str, _Count] = {}
        self._after: dict[str, _Count] = {}

    def begin(self, unit: Unit, *, fresh: bool) -> None:
        """Count a unit before its first read, where that can tell later whether it changed.

        :param fresh: nothing of the unit is recorded yet.
        """
        if fresh and self._snapshot is None and unit.id not in self._before:
            self._before[unit.id] = self._count(unit)

    def end(self, unit: Unit) -> None:
        """Count a unit that was read completely."""
        self._after[unit.id] = self._count(unit)

    def of(self, units: Iterable[tuple[Unit, int]]) -> tuple[UnitCount, ...]:
        """Return what was counted; units of earlier processes are counted now.

        :param units: every unit of the run with its recorded rows.
        """
        return tuple(self._of(unit, recorded) for unit, recorded in units)

    def cancel(self) -> None:
        """End every count that is blocked, from any thread."""
        with self._lock:
            opened = list(self._open)
        for cancelling in opened:
            cancelling.insist()

    def _of(self, unit: Unit, recorded: int) -> UnitCount:
        before, after = self._before.get(unit.id), self._after.get(unit.id)
        unchanged = before is not None and after is not None and before.rows == after.rows
        count = after or self._count(unit)
        return UnitCount(
            unit=unit.id,
            recorded=recorded,
            rows=count.rows,
            certain=self._snapshot is not None or unchanged,
            problem=count.problem,
        )

    def _count(self, unit: Unit) -> _Count:
        for attempt in range(1, _ATTEMPTS + 1):
            source = self._open_source()
            cancelling = Cancelling(source.cancel)
            with self._lock:
                self._open.add(cancelling)
            try:
                context = ReadContext(attempt=attempt, snapshot=self._snapshot)
                with Watch(self._seconds, cancelling, relation_text(unit.request.relation)) as watch:
                    return _Count(watch.answer_apart(partial(source.count, unit.request, context)))
            except Exception as error:  # noqa: BLE001 - a count that fails is a warning of the gate
                if attempt == _ATTEMPTS or source.verdict(error) not in {Verdict.RETRY, Verdict.RECONNECT}:
                    return _Count(None, reason(error))
            finally:
                with self._lock:
                    self._open.discard(cancelling)
                cancelling.close(source.close)
        return _Count(None, "it was not asked")


def refuse_uncountable(plan: Plan) -> None:
    """Refuse ``--reconcile`` for what has no count to compare with.

    :raises UsageError: ``RIVET_CLI_OPTION_UNSUPPORTED``.
    """
    runner = plan.runner_capabilities
    if runner.changes or runner.rolls is not None or len(plan.datasets) != 1:
        why = "reads a stream, which no COUNT describes"
    elif plan.restart is Restart.NEVER:
        why = "reads a source that can be read once only, so counting would take the rows away"
    else:
        return
    msg = f"--reconcile does not go with export {plan.intent.name}, which {why}"
    raise UsageError(
        msg,
        code="RIVET_CLI_OPTION_UNSUPPORTED",
        place=Place(path=f"exports.{plan.intent.name}"),
        remedy="run it without --reconcile, and name the other exports with -e",
    )
