"""The proofs of the commit ledger, in process: deaths, adversaries, records."""

from __future__ import annotations

from typing import TYPE_CHECKING

import crash_battery as battery
import pytest
from crash_world import WORLDS

if TYPE_CHECKING:
    from pathlib import Path

#: Worlds whose every statement is walked in any run; the others are sampled, all in the session crash-all.
_WALKED = ("seek",)
_IN_PROCESS = tuple(name for name in WORLDS if name != "processes")


@pytest.mark.parametrize("name", battery.SINGLE)
def test_the_ledger_keeps_its_promise(name: str, tmp_path: Path) -> None:
    battery.SINGLE[name](tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("world", _IN_PROCESS)
def test_a_death_at_any_named_point_loses_and_doubles_nothing(world: str, tmp_path: Path) -> None:
    battery.every_point(world)(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("world", _IN_PROCESS)
def test_a_death_at_any_statement_loses_and_doubles_nothing(world: str, tmp_path: Path) -> None:
    sample = None if world in _WALKED or battery.thorough() else 12
    battery.every_statement(world, sample=sample, seed=20_26)(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["seek", "ranges", "stream"])
def test_a_run_that_dies_twice_is_delivered_once(world: str, tmp_path: Path) -> None:
    battery.twice_dead(world)(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["seek", "ranges", "tail"])
def test_rows_that_stay_in_place_arrive_once_although_the_table_changes_before_the_resume(
    world: str, tmp_path: Path
) -> None:
    battery.live_table(world)(tmp_path)


@pytest.mark.parametrize("world", WORLDS)
def test_an_undisturbed_run_delivers_each_row_once(world: str, tmp_path: Path) -> None:
    place = battery.fresh(WORLDS[world], tmp_path / "world")
    outcome = WORLDS[world].run(place)
    assert outcome.error is None
    battery.check_delivery(WORLDS[world], place)
    battery.check_pair(WORLDS[world], place)
    battery.check_state(place)
