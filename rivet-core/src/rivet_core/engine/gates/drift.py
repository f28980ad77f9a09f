"""The drift gate: the schema against the last success's, and against the source's own after reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult
from rivet_core.errors import DriftError, Place
from rivet_core.planning.drift import find_drift

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext
    from rivet_core.planning.drift import Drift
    from rivet_core.requests import Intent


def drift_error(intent: Intent, drift: Drift, since: str) -> DriftError:
    """Return the error of ``on_schema_drift: fail``."""
    msg = f"the schema changed {since}: {'; '.join(drift.changes)}"
    return DriftError(
        msg,
        code="RIVET_RUN_SCHEMA_DRIFT",
        place=Place(path=f"exports.{intent.name}.on_schema_drift", relation=str(intent.relation)),
        remedy="adapt whoever loads the files, then run once with on_schema_drift: warn to accept the new schema",
    )


def drift_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail, warn or pass, as the export wishes."""
    intent = context.plan.intent
    if intent.on_schema_drift == "continue":
        return ()
    now = context.described()
    for baseline, current, since in (
        (context.baseline, context.current, "since the last success"),
        (context.current, now or context.current, "while it was read"),
    ):
        drift = find_drift(baseline, current)
        if drift:
            detail = f"the schema changed {since}: {'; '.join(drift.changes)}"
            if intent.on_schema_drift == "fail":
                error = drift_error(intent, drift, since)
                return (GateResult(gate="schema_drift", verdict="fail", detail=detail, error=error),)
            return (GateResult(gate="schema_drift", verdict="warn", detail=detail),)
    detail = "nothing to compare with yet" if context.baseline is None else "same schema"
    return (GateResult(gate="schema_drift", verdict="pass", detail=detail),)
