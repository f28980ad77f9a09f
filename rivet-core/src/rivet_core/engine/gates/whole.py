"""The gate that no run is shorter than its plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult
from rivet_core.errors import IntegrityError

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext


def whole_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail when a unit is not done; the ledger would refuse too, and here it has a name."""
    if context.units_done:
        return (GateResult(gate="whole", verdict="pass", detail="every unit is done"),)
    error = IntegrityError(
        "units of the run are missing",
        code="RIVET_RUN_GATE_FAILED",
        remedy="Run again; if units are missing again, it is a bug of the runner: report it.",
    )
    return (GateResult(gate="whole", verdict="fail", detail=error.message, error=error),)
