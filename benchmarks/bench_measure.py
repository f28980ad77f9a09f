"""What one run of a program cost: time, processor and memory of its whole tree of processes. Linux only."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_SAMPLE_SECONDS = 0.05
_LIMIT_SECONDS = 1800.0


@attrs.frozen(kw_only=True)
class Usage:
    """The cost of a run; `cpu_seconds` is user and system time together."""

    status: int
    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Usage:
    """Run a program to its end; what it prints goes into the file ``output`` of the folder."""
    with (folder / "output").open("wb") as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
        limit = threading.Timer(_LIMIT_SECONDS, process.kill)
        memory = _Memory(process.pid)
        limit.start()
        memory.start()
        try:
            # Only this call tells the processor time of this one child and of all that it waited for.
            _, status, cost = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            raise
        finally:
            limit.cancel()
            memory.stop()
    return Usage(
        status=process.returncode, wall_seconds=wall, cpu_seconds=cost.ru_utime + cost.ru_stime, peak_bytes=memory.peak
    )


class _Memory(threading.Thread):
    """Samples the resident memory of a process and its descendants; a single process's peak is exact."""

    def __init__(self, pid: int) -> None:
        super().__init__(name="memory", daemon=True)
        self._pid = pid
        self._ended = threading.Event()
        self.peak = 0

    def run(self) -> None:
        while not self._ended.wait(_SAMPLE_SECONDS):
            sizes = [size for pid in _tree(self._pid) if (size := _resident(pid))]
            together = sum(now for now, _ in sizes)
            self.peak = max([self.peak, together, *(highest for _, highest in sizes)])

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = listing.read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in children:
            yield from _tree(int(child))


def _resident(pid: int) -> tuple[int, int] | None:
    """Return the resident bytes now and at most so far; None when the process has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in lines) if name in {"VmRSS", "VmHWM"}}
    if len(sizes) < 2:
        return None
    return 1024 * int(sizes["VmRSS"].split()[0]), 1024 * int(sizes["VmHWM"].split()[0])
