"""What else the machine does: times mean little without it. Linux only."""

from __future__ import annotations

import os
import time
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
#: Of one processor, in one second.
_IDLE = 0.15


def busy_seconds() -> float:
    """Return the time that all processors together have worked since the machine was started."""
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    user, nice, system, _, _, interrupts, soft = (int(word) for word in words[1:8])
    return (user + nice + system + interrupts + soft) / _TICK


def family_seconds(pid: int) -> float:
    """Return the processor time of a process and of those of its children that have ended."""
    # The name may hold blanks and brackets; the numbers follow it.
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(word) for word in words[11:15]) / _TICK


def wait_until_idle(patience: float) -> None:
    """Wait until the machine does nothing for a second, but not longer than so many seconds."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        before = busy_seconds()
        time.sleep(1)
        if busy_seconds() - before < _IDLE:
            return
