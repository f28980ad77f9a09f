"""The gates: judged once, after the data and before the manifest, over the whole list of parts."""

from __future__ import annotations

from rivet_core.engine.gates.judge import GATES, Gate, Judgement, judge
from rivet_core.engine.gates.result import GateContext, GateResult

__all__ = ["GATES", "Gate", "GateContext", "GateResult", "Judgement", "judge"]
