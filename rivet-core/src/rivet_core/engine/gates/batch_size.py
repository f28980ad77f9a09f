"""The gate of ``tuning.max_batch_memory_mb``: says that a batch was larger, where that does not end the read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.gates.result import GateResult

if TYPE_CHECKING:
    from rivet_core.engine.gates.result import GateContext

_MIB = 1024 * 1024


def batch_size_gate(context: GateContext) -> tuple[GateResult, ...]:
    """Warn of the largest batch, when it was over the limit."""
    most = context.plan.intent.tuning.max_batch_bytes
    largest = max((counters.largest_batch for _, counters in context.counters), default=0)
    if most is None or largest <= most:
        return ()
    detail = f"the largest batch had {largest / _MIB:.1f} MiB, more than max_batch_memory_mb {most // _MIB}"
    return (GateResult(gate="batch_size", verdict="warn", detail=detail),)
