"""The row count gate: ``quality.row_count_min`` and ``quality.row_count_max`` over the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, failed, look_at_source

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext


def row_count_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail when the rows lie outside the bounds; say nothing when there are none."""
    intent, rows = context.plan.intent, context.rows
    low, high = intent.row_count_min, intent.row_count_max
    if low is None and high is None:
        return ()
    counted, be = ("1 row", "is") if rows == 1 else (f"{rows} rows", "are")
    wrong: tuple[str, str] | None = None
    if low is not None and rows < low:
        wrong = ("row_count_min", f"{counted} {be} fewer than row_count_min {low}")
    elif high is not None and rows > high:
        wrong = ("row_count_max", f"{counted} {be} more than row_count_max {high}")
    if wrong is None:
        return (GateResult(gate="row_count", verdict="pass", detail=counted),)
    key, detail = wrong
    return (failed("row_count", detail, path=f"exports.{intent.name}.quality.{key}", remedy=look_at_source(context)),)
