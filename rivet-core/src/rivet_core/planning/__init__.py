"""Intent, catalogue facts and state become a plan; pure."""

from __future__ import annotations

from rivet_core.planning.build import Facts, make_plan
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH, DatasetPlan, Plan
from rivet_core.planning.runners import RunnerRow, choose_runner, runner_table

__all__ = [
    "EXPORTED_AT",
    "ROW_HASH",
    "DatasetPlan",
    "Facts",
    "Plan",
    "RunnerRow",
    "choose_runner",
    "make_plan",
    "runner_table",
]
