"""What a gate is, the list of them, and the verdict over all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.engine.gates.batch_size import batch_size_gate
from rivet_core.engine.gates.content import content_gate
from rivet_core.engine.gates.drift import drift_gate
from rivet_core.engine.gates.null_ratio import null_ratio_gate
from rivet_core.engine.gates.reconcile import reconcile_gate
from rivet_core.engine.gates.result import GateContext, GateResult
from rivet_core.engine.gates.row_count import row_count_gate
from rivet_core.engine.gates.shape import shape_gate
from rivet_core.engine.gates.unique import unique_gate
from rivet_core.engine.gates.whole import whole_gate

if TYPE_CHECKING:
    from rivet_core.errors import RivetError

Gate = Callable[[GateContext], tuple[GateResult, ...]]

#: Every gate, in the order in which they are judged; a new gate is a line here.
GATES: Final[tuple[Gate, ...]] = (
    whole_gate,
    reconcile_gate,
    row_count_gate,
    null_ratio_gate,
    unique_gate,
    content_gate,
    drift_gate,
    shape_gate,
    batch_size_gate,
)


@attrs.frozen(kw_only=True)
class Judgement:
    """What all gates said.

    :param failure: the error of the most serious failing gate, or None when the data may be sealed as a success.
    """

    results: tuple[GateResult, ...]
    failure: RivetError | None


def judge(context: GateContext) -> Judgement:
    """Ask every gate; integrity weighs more than drift."""
    results = tuple(result for gate in GATES for result in gate(context))
    errors = [result.error for result in results if result.error is not None]
    errors.sort(key=lambda error: error.exit)
    return Judgement(results=results, failure=errors[0] if errors else None)
