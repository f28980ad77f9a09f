"""The gate of widths: a column whose widest value grew much since the last success is worth a warning, no more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult, column_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rivet_core.engine.gates.result import GateContext
    from rivet_core.manifest.counters import PartCounters


def shape_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Warn of every column that outgrew its baseline; without a baseline there is nothing to say."""
    factor = context.plan.intent.shape_drift_warn_factor
    if not factor or context.shape is None:
        return ()
    grown = tuple(_grown(context.shape, context.counters, factor))
    if grown:
        return (GateResult(gate="shape_drift", verdict="warn", detail="; ".join(grown)),)
    return (GateResult(gate="shape_drift", verdict="pass", detail="no column outgrew the last success"),)


def shape_baseline(before: str | None, counters: Iterable[tuple[str, PartCounters]], *, whole: bool) -> str:
    """Return the widths that the next run is compared with, as JSON text.

    A column that had no value this time keeps its width: else the first value after an empty run would be a warning.

    :param whole: the run delivered the whole relation; others know the widths of their own rows only, so that widths
        never shrink.
    """
    widths = {} if before is None else dict(json.loads(before))
    for dataset, found in counters:
        old = widths.get(dataset, {})
        new = {column: width for column, width in found.widths if width}
        if not whole:
            new = {column: max(width, old.get(column, 0)) for column, width in new.items()}
        widths[dataset] = {**old, **new}
    return json.dumps(widths, sort_keys=True)


def _grown(baseline: str, counters: Iterable[tuple[str, PartCounters]], factor: float) -> Iterator[str]:
    widths = json.loads(baseline)
    for dataset, found in counters:
        for column, width in found.widths:
            before = widths.get(dataset, {}).get(column, 0)
            if before and width > before * factor:
                label = column_label(dataset, column)
                yield f"column {label} has a value of {width} bytes, and its widest was {before} at the last success"
