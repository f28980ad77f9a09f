"""What observers are told, as frozen values."""

from __future__ import annotations

from rivet_core.events.kinds import (
    Event,
    GateJudged,
    PartRecorded,
    PositionMoved,
    RetryScheduled,
    RowsRead,
    RunClosed,
    RunOpened,
    RunSealed,
    UnitDone,
    UnitFailed,
    UnitStarted,
    Warned,
)

__all__ = [
    "Event",
    "GateJudged",
    "PartRecorded",
    "PositionMoved",
    "RetryScheduled",
    "RowsRead",
    "RunClosed",
    "RunOpened",
    "RunSealed",
    "UnitDone",
    "UnitFailed",
    "UnitStarted",
    "Warned",
]
