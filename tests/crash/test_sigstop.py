"""A process that is stopped while another one takes over, and wakes."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import crash_battery as battery
import pytest
from crash_world import WORLDS

from rivet_core.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE_SECONDS = 30.0


@pytest.mark.slow
@pytest.mark.parametrize("point", ["part_intended", "part_put", "units_complete", "sealing_recorded", "success_put"])
def test_a_stopped_process_that_wakes_after_another_took_over_writes_nothing(
    point: str, tmp_path: Path, live_until: Callable[..., int]
) -> None:
    world = WORLDS["seek"]
    place = battery.fresh(world, tmp_path / "world")
    answers: list[int] = []
    waiting = threading.Thread(target=lambda: answers.append(live_until("seek", place, point, action="stop")))
    waiting.start()
    pid = _stopped(place)
    try:
        assert world.run(place).exit is Exit.TRANSIENT, "the stopped process still holds its lease"
        # Somebody cleans up what looks like leftovers: only now can another process take over.
        for lease in place.glob("state.sqlite.lease-*"):
            lease.unlink()
        battery.finish(world, place)
    finally:
        os.kill(pid, signal.SIGCONT)
        waiting.join(_PATIENCE_SECONDS)
    assert [os.WEXITSTATUS(answer) for answer in answers] == [Exit.TRANSIENT]
    battery.check_delivery(world, place)
    battery.check_pair(world, place)
    battery.check_state(place)


def _stopped(place: Path) -> int:
    """Wait until the process has stopped itself and return its id."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        marker = place / "stopped"
        if marker.exists() and (text := marker.read_text()):
            status = Path(f"/proc/{text}/stat").read_text(encoding="utf-8")
            if status.rpartition(")")[2].split()[0] == "T":
                return int(text)
        time.sleep(0.02)
    pytest.fail("the process did not come to the point")
