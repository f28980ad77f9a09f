"""The named points of the durable order, at which a test may kill the process.

The engine and the ledger call the probe as they pass a point; in production it does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Probe = Callable[[str], None]

#: In the order in which a run passes them.
POINTS: Final = (
    "lease_granted",
    "run_opened",
    "units_stored",
    "unit_begun",
    "part_finished",
    "part_intended",
    "part_put",
    "part_recorded",
    "units_complete",
    "gates_judged",
    "sealing_recorded",
    "run_manifest_put",
    "canonical_manifest_put",
    "success_put",
    "position_advanced",
    "source_acknowledged",
    "outcome_recorded",
)


def ignore(point: str) -> None:
    """Do nothing: the probe of production."""
    del point
