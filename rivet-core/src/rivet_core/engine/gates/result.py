"""What a gate looks at and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import IntegrityError, Place
from rivet_core.manifest.counters import PartCounters
from rivet_core.planning import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.engine.reconciling import UnitCount
    from rivet_core.errors import RivetError


@attrs.frozen(kw_only=True)
class GateContext:
    """The whole run, or roll, as the state has it, parts of earlier processes included.

    :param counters: per dataset, merged.
    :param baseline: the schemas of the last success, or None for the first run.
    :param current: the plan's schemas, in the baseline's form.
    :param described: the schemas as the source has them now, or None where asking again is not possible.
    :param units_done: whether every unit is done, or the roll ends before the run does.
    :param shape: the widest values of the last success: JSON text of dataset to column to bytes; None for none.
    :param unconfirmed: keys of the parts whose MD5 the store did not confirm.
    :param counted: what the source counted, per unit; None when nobody asked.
    """

    plan: Plan
    counters: tuple[tuple[str, PartCounters], ...]
    baseline: str | None
    current: str
    described: Callable[[], str | None]
    units_done: bool
    shape: str | None = None
    unconfirmed: tuple[str, ...] = ()
    counted: tuple[UnitCount, ...] | None = None

    @property
    def rows(self) -> int:
        """Rows over all datasets."""
        return sum(counters.rows for _, counters in self.counters)


@attrs.frozen(kw_only=True)
class GateResult:
    """One gate's verdict: ``pass``, ``warn`` or ``fail``.

    :param error: for ``fail``, what the command ends with.
    """

    gate: str
    verdict: str
    detail: str
    error: RivetError | None = None


def failed(gate: str, detail: str, *, path: str, remedy: str) -> GateResult:
    """Return a verdict that closes the run as failed.

    :param path: the key that asked for the gate.
    """
    error = IntegrityError(detail, code="RIVET_RUN_GATE_FAILED", place=Place(path=path), remedy=remedy)
    return GateResult(gate=gate, verdict="fail", detail=detail, error=error)


def look_at_source(context: GateContext) -> str:
    """Return the remedy for rows that are not as they should be."""
    good = "the last good dataset is still marked as such"
    if context.baseline is None:
        good = "nothing marks them as a good dataset"
    return f"look at the source; the parts stay, and {good}"


def column_label(dataset: str, column: str) -> str:
    """Return a column's name, with its dataset's where a run has several."""
    return f"{dataset}.{column}" if dataset else column
