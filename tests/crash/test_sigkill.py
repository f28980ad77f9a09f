"""Real SIGKILLs at the named points, in forked processes; the next run finishes in this one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import crash_battery as battery
import pytest
from crash_world import WORLDS

from rivet_core.ledger.points import POINTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: A seeded share of the product; the session crash-all takes all of it.
_SHARE = 5


def _points(world: str) -> list[tuple[str, int]]:
    product = [(point, nth) for point in POINTS for nth in (1, 2)]
    if battery.thorough():
        return product
    if world == "seek":
        return [(point, 1) for point in POINTS]
    return random.Random(world).sample(product, _SHARE)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("world", WORLDS)
def test_a_killed_process_is_followed_by_a_run_that_delivers_each_row_once(
    world: str, tmp_path: Path, kill_at: Callable[[str, Path, str, int], bool]
) -> None:
    killed = 0
    for point, nth in _points(world):
        place = battery.fresh(WORLDS[world], tmp_path / "world")
        if kill_at(world, place, point, nth):
            killed += 1
            battery.finish(WORLDS[world], place)
    assert killed > 0, "no process was killed, so nothing was proved"
