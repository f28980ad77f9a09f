"""The gate of NULLs: ``quality.null_ratio_max`` over the whole run, NULLs under ``on_invalid_value: null`` included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, column_label, failed, look_at_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.engine.gates.result import GateContext


def null_ratio_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail when a column has a larger share of NULLs than it may; no rows have no share."""
    intent = context.plan.intent
    if not intent.null_ratio_max:
        return ()
    wrong = tuple(_wrong(context))
    if wrong:
        path = f"exports.{intent.name}.quality.null_ratio_max"
        return (failed("null_ratio", "; ".join(wrong), path=path, remedy=look_at_source(context)),)
    names = ", ".join(name for name, _ in intent.null_ratio_max)
    return (GateResult(gate="null_ratio", verdict="pass", detail=f"{names} within bounds"),)


def _wrong(context: GateContext) -> Iterator[str]:
    for dataset, counters in context.counters:
        nulls = dict(counters.nulls)
        for column, most in context.plan.intent.null_ratio_max:
            cells = nulls.get(column, 0)
            # In whole numbers of cells: a share of exactly the bound must pass.
            if cells and cells > most * counters.rows:
                share = f"{cells / counters.rows:.2%} of its {counters.rows} row{'s' * (counters.rows != 1)}"
                yield f"column {column_label(dataset, column)} is NULL in {share}, more than null_ratio_max {most:g}"
