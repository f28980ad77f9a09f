"""The kinds of event; all but :class:`RowsRead` also enter the run's journal.

An event never holds data of the relation, and its text is free of secrets.
"""

from __future__ import annotations

import attrs

from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class _Event:
    export: str
    run_id: str


@attrs.frozen(kw_only=True)
class RunOpened(_Event):
    """A run begins or is resumed.

    :param estimated_rows: from the catalogue, for progress.
    :param resumable: what is recorded of it can be used by another process, if this one does not end it.
    """

    runner: str
    source: str
    units: int
    resumed: bool
    estimated_rows: int | None = None
    resumable: bool = True


@attrs.frozen(kw_only=True)
class UnitStarted(_Event):
    """An attempt at a unit begins."""

    unit: str
    attempt: int


@attrs.frozen(kw_only=True)
class RowsRead(_Event):
    """Rows were read and encoded; for progress only."""

    unit: str
    rows: int
    bytes: int


@attrs.frozen(kw_only=True)
class PartRecorded(_Event):
    """A part is durable and recorded."""

    unit: str
    key: str
    rows: int
    size: int


@attrs.frozen(kw_only=True)
class UnitDone(_Event):
    """A unit is complete."""

    unit: str


@attrs.frozen(kw_only=True)
class UnitFailed(_Event):
    """A unit failed after its attempts; the run stays open."""

    unit: str
    error: str


@attrs.frozen(kw_only=True)
class RetryScheduled(_Event):
    """An attempt failed and another follows."""

    unit: str
    attempt: int
    wait_seconds: float
    error: str


@attrs.frozen(kw_only=True)
class GateJudged(_Event):
    """A gate gave its verdict: ``pass``, ``warn`` or ``fail``."""

    gate: str
    verdict: str
    detail: str


@attrs.frozen(kw_only=True)
class RunSealed(_Event):
    """A run's, or roll's, manifest is durable."""

    roll: int
    manifest: str
    rows: int
    parts: int


@attrs.frozen(kw_only=True)
class PositionMoved(_Event):
    """The export's position was replaced."""

    position: Position


@attrs.frozen(kw_only=True)
class RunClosed(_Event):
    """A run ended: ``success``, ``failed``, ``skipped``, ``abandoned``, or ``open``: it is not at its end."""

    status: str
    rows: int
    parts: int
    size: int
    seconds: float
    error: str | None = None


@attrs.frozen(kw_only=True)
class Warned(_Event):
    """Something a person should know; the run goes on."""

    code: str
    message: str


Event = (
    RunOpened
    | UnitStarted
    | RowsRead
    | PartRecorded
    | UnitDone
    | UnitFailed
    | RetryScheduled
    | GateJudged
    | RunSealed
    | PositionMoved
    | RunClosed
    | Warned
)
