"""When parts close: decisions only."""

from __future__ import annotations

from enum import Enum

import attrs

from rivet_core.capabilities import RollPolicy
from rivet_core.engine.sink.task import has_marks, restarts_at_marks
from rivet_core.planning.plan import Plan
from rivet_core.requests import Unit


class Step(Enum):
    """What the sink does after a batch."""

    #: Nothing closes.
    GO_ON = "go on"
    #: The parts that are large enough close; they wait for the unit's end to be recorded.
    CLOSE = "close"
    #: Every part closes, and all may be recorded with the mark.
    POINT = "point"
    #: As :attr:`POINT`, and the roll ends.
    ROLL = "roll"


@attrs.frozen(kw_only=True)
class RollRules:
    """What decides for one unit.

    :param part_bytes: input bytes of a part; None for never by size.
    :param marked: parts wait for a mark.
    :param restartable: a mark is a restart point.
    """

    part_bytes: int | None
    rolls: RollPolicy | None
    marked: bool
    restartable: bool


@attrs.frozen(kw_only=True)
class Gathered:
    """How much lies behind the sink.

    :param open: whether any row lies in a part that is not closed.
    :param largest: input bytes of the largest open part.
    :param rows: rows since the last roll.
    :param bytes: input bytes since the last roll.
    """

    open: bool = False
    largest: int = 0
    rows: int = 0
    bytes: int = 0


def rules_for(unit: Unit, plan: Plan) -> RollRules:
    """Return the rules that a unit's parts follow."""
    return RollRules(
        part_bytes=None if plan.one_part else plan.intent.part_bytes,
        rolls=None if plan.one_part else plan.runner_capabilities.rolls,
        marked=has_marks(unit, plan),
        restartable=restarts_at_marks(unit, plan),
    )


def decide(rules: RollRules, gathered: Gathered, *, at_mark: bool) -> Step:
    """Return what to do after a batch.

    A mark behind which every row is in a closed part costs nothing and is always a point.
    """
    large = rules.part_bytes is not None and gathered.open and gathered.largest >= rules.part_bytes
    if at_mark:
        if rules.rolls is not None and (gathered.rows >= rules.rolls.rows or gathered.bytes >= rules.rolls.bytes):
            return Step.ROLL
        if rules.restartable and (large or not gathered.open):
            return Step.POINT
    if large and (at_mark or not rules.marked):
        return Step.CLOSE
    return Step.GO_ON
