"""What a worker is given: one attempt at one unit, and the recipe that all units of a run share.

Both pickle, so that a thread, another process or a cluster can do the work.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import attrs

from rivet_core.capabilities import Restart
from rivet_core.planning.plan import Plan
from rivet_core.protocols import Format
from rivet_core.requests import ReadContext, Unit
from rivet_core.types import Position, Snapshot


@attrs.frozen(kw_only=True)
class Recipe:
    """How the units of one run become parts.

    :param exported_at: the run's frozen clock, aware; the one value of the meta column.
    :param staging: an existing folder for the parts' local files.
    :param format: makes the format; it must pickle where units travel, as ``functools.partial(factory, options)`` does.
    :param ahead_batches: at most so many batches are read before they are needed.
    :param ahead_bytes: and at most about so many bytes; a single larger batch still passes.
    """

    plan: Plan
    exported_at: datetime
    staging: Path
    format: Callable[[], Format]
    ahead_batches: int = 4
    ahead_bytes: int = 64 * 1024 * 1024


@attrs.frozen(kw_only=True)
class UnitTask:
    """One attempt at one unit.

    :param attempt: 1 for the first.
    :param mark: the unit's last recorded mark, to read on after; None to begin at its start.
    """

    unit: Unit
    attempt: int = 1
    mark: Position | None = None
    snapshot: Snapshot | None = None

    @property
    def context(self) -> ReadContext:
        """The circumstances of the attempt's reads."""
        return ReadContext(attempt=self.attempt, snapshot=self.snapshot)


def has_marks(unit: Unit, plan: Plan) -> bool:
    """Return whether the unit's batches end in marks: it is paged, ordered, or a stream."""
    request = unit.request
    stream = request.relation is None or plan.runner_capabilities.changes or plan.runner_capabilities.rolls is not None
    return unit.paging is not None or bool(request.order) or stream


def restarts_at_marks(unit: Unit, plan: Plan) -> bool:
    """Return whether a broken read of the unit can go on after a mark instead of from the unit's start.

    Pages are sought by the engine, so they need no more of the source than an ordered read. How much of a limit is left
    after a mark is not known, so a limited unit is read again from its start.
    """
    if plan.restart is Restart.NEVER or unit.request.limit is not None:
        return False
    return unit.paging is not None or plan.restart is Restart.MARK
