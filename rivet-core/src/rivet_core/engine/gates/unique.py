"""The gate of values that may not occur twice: ``quality.unique_columns`` over the whole run.

It is exact up to ``unique_max_entries`` values. Beyond them it judges the values that are kept, finds every repetition
of those, and says of how many others it knows nothing. NULLs are no values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, column_label, failed, look_at_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.engine.gates.result import GateContext
    from rivet_core.manifest.counters import PartCounters
    from rivet_core.manifest.distinct import Distinct


def unique_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Fail when a value is there twice; warn about what could not be judged."""
    intent = context.plan.intent
    if not intent.unique_columns:
        return ()
    columns = tuple(_columns(context))
    path = f"exports.{intent.name}.quality.unique_columns"
    repeated = [_repeated(label, values) for label, values, _ in columns if values is not None and values.repeated]
    if repeated:
        return (failed("unique", "; ".join(repeated), path=path, remedy=look_at_source(context)),)
    unjudged = [text for label, values, rows in columns if (text := _unjudged(label, values, rows))]
    if unjudged:
        return (GateResult(gate="unique", verdict="warn", detail="; ".join(unjudged)),)
    return (GateResult(gate="unique", verdict="pass", detail=f"no value twice in {', '.join(intent.unique_columns)}"),)


def _columns(context: GateContext) -> Iterator[tuple[str, Distinct | None, int]]:
    """Yield each judged column with its values and the rows that it has."""
    for dataset, counters in context.counters:
        planned = context.plan.dataset(dataset)
        has = set() if planned is None else {column.name for column in planned.columns}
        for column in context.plan.intent.unique_columns:
            if column in has and counters.rows:
                yield column_label(dataset, column), _values(counters, column), counters.rows


def _values(counters: PartCounters, column: str) -> Distinct | None:
    return dict(counters.distinct).get(column)


def _repeated(label: str, values: Distinct) -> str:
    least = "at least " if values.bound is not None else ""
    cells = "1 cell repeats" if values.repeated == 1 else f"{values.repeated} cells repeat"
    return f"column {label} should hold no value twice, and {least}{cells} another one"


def _unjudged(label: str, values: Distinct | None, rows: int) -> str | None:
    if values is None or values.rows < rows:
        # The file asked for it only after the run had begun.
        seen = 0 if values is None else values.rows
        return f"column {label} was not judged in {rows - seen} rows, which were recorded before the gate was asked for"
    if values.bound is not None:
        kept = f"{values.kept} of about {values.estimate} values"
        return f"column {label} holds no value twice among {kept}; the others were not judged (unique_max_entries)"
    return None
