from __future__ import annotations

import pytest
from sink_stand_ins import KEYS, make_plan, ordered_unit, paged_unit, plain_unit

from rivet_core.capabilities import Restart, RollPolicy
from rivet_core.engine.sink.rolling import Gathered, RollRules, Step, decide, rules_for
from rivet_core.requests import ReadRequest, Unit

SMALL = Gathered(open=True, largest=99, rows=5, bytes=99)
LARGE = Gathered(open=True, largest=100, rows=5, bytes=100)
CLOSED = Gathered(rows=5, bytes=100)
POLICY = RollPolicy(rows=10, bytes=1000)


def rules(
    *, part_bytes: int | None = 100, rolls: RollPolicy | None = None, marked: bool, restartable: bool
) -> RollRules:
    return RollRules(part_bytes=part_bytes, rolls=rolls, marked=marked, restartable=restartable)


RESUMABLE = rules(marked=True, restartable=True)
PLAIN = rules(marked=False, restartable=False)
UNRESUMABLE = rules(marked=True, restartable=False)


@pytest.mark.parametrize(
    ("given", "gathered", "at_mark", "step"),
    [
        (RESUMABLE, SMALL, True, Step.GO_ON),
        (RESUMABLE, LARGE, True, Step.POINT),
        (RESUMABLE, LARGE, False, Step.GO_ON),
        (RESUMABLE, CLOSED, True, Step.POINT),
        (RESUMABLE, CLOSED, False, Step.GO_ON),
        (PLAIN, SMALL, False, Step.GO_ON),
        (PLAIN, LARGE, False, Step.CLOSE),
        (UNRESUMABLE, LARGE, False, Step.GO_ON),
        (UNRESUMABLE, LARGE, True, Step.CLOSE),
        (UNRESUMABLE, CLOSED, True, Step.GO_ON),
    ],
)
def test_a_part_closes_where_it_may(given: RollRules, gathered: Gathered, at_mark: bool, step: Step) -> None:  # noqa: FBT001
    assert decide(given, gathered, at_mark=at_mark) is step


@pytest.mark.parametrize(
    ("gathered", "at_mark", "step"),
    [
        (Gathered(open=True, largest=50, rows=10, bytes=50), True, Step.ROLL),
        (Gathered(open=True, largest=50, rows=1, bytes=1000), True, Step.ROLL),
        (Gathered(open=False, largest=0, rows=10, bytes=50), True, Step.ROLL),
        (Gathered(open=True, largest=50, rows=10, bytes=1000), False, Step.GO_ON),
        (Gathered(open=True, largest=50, rows=9, bytes=999), True, Step.GO_ON),
        (Gathered(open=True, largest=100, rows=9, bytes=999), True, Step.POINT),
    ],
)
def test_a_roll_ends_at_the_first_mark_after_its_limit(gathered: Gathered, at_mark: bool, step: Step) -> None:  # noqa: FBT001
    given = rules(rolls=POLICY, marked=True, restartable=True)
    assert decide(given, gathered, at_mark=at_mark) is step


@pytest.mark.parametrize("at_mark", [True, False])
def test_one_part_is_never_cut(at_mark: bool) -> None:  # noqa: FBT001
    given = rules_for(ordered_unit(), make_plan(one_part=True, rolls=POLICY, part_bytes=1))
    assert decide(given, Gathered(open=True, largest=10**12, rows=10**9, bytes=10**12), at_mark=at_mark) is Step.GO_ON


@pytest.mark.parametrize(
    ("unit", "restart", "marked", "restartable"),
    [
        (plain_unit(), Restart.MARK, False, True),
        (plain_unit(), Restart.UNIT, False, False),
        (ordered_unit(), Restart.MARK, True, True),
        (ordered_unit(), Restart.UNIT, True, False),
        (ordered_unit(), Restart.NEVER, True, False),
        # How much of the limit is left after a mark is not known, so such a unit is read again from its start.
        (plain_unit(order=KEYS, limit=5), Restart.MARK, True, False),
        (paged_unit(5), Restart.UNIT, True, True),
        (paged_unit(5), Restart.NEVER, True, False),
        (Unit(id="stream", ordinal=0, request=ReadRequest(relation=None)), Restart.MARK, True, True),
    ],
)
def test_the_rules_follow_from_unit_and_plan(unit: Unit, restart: Restart, marked: bool, restartable: bool) -> None:  # noqa: FBT001
    made = rules_for(unit, make_plan(restart=restart))
    assert (made.marked, made.restartable) == (marked, restartable)
