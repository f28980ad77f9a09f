"""The gate of ``--reconcile``: the rows of the parts against what the source counted, unit by unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, failed

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext
    from rivet_core.engine.reconciling import UnitCount

_NAMED = 3


def reconcile_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail where the source's state was the read's own or did not change; warn where nobody can know."""
    counted = context.counted
    if counted is None:
        return ()
    different = [unit for unit in counted if unit.rows is not None and unit.rows != unit.recorded]
    certain = [unit for unit in different if unit.certain]
    if certain:
        remedy = "look at the source and at what reads from it; the next run reads everything of this one again"
        path = f"exports.{context.plan.intent.name}"
        return (failed("reconcile", _listed(certain), path=path, remedy=remedy),)
    if different:
        detail = f"{_listed(different)}; the relation may have changed while it was read"
        return (GateResult(gate="reconcile", verdict="warn", detail=detail),)
    if unknown := [unit for unit in counted if unit.rows is None]:
        detail = f"unit {unknown[0].unit} could not be counted: {unknown[0].problem}"
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        return (GateResult(gate="reconcile", verdict="warn", detail=detail + more),)
    rows = sum(unit.recorded for unit in counted)
    return (GateResult(gate="reconcile", verdict="pass", detail=f"{rows} rows in the source and in the parts"),)


def _listed(units: list[UnitCount]) -> str:
    texts = [f"unit {unit.unit} has {unit.rows} rows in the source and {unit.recorded} in its parts" for unit in units]
    more = f"; and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more
