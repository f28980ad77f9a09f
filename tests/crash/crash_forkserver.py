"""A pre-imported server that forks one mortal process for each job, so that a real SIGKILL costs no import.

A job is a line of JSON on standard input: the world's name, its folder, the point and its occurrence. The answer is the
child's wait status.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from crash_world import WORLDS


def _live_and_die(job: dict[str, str | int]) -> None:
    passed = 0

    def probe(point: str) -> None:
        nonlocal passed
        passed += point == job["point"]
        if point == job["point"] and passed == job["nth"]:
            os.kill(os.getpid(), signal.SIGKILL)

    WORLDS[str(job["world"])].run(Path(str(job["folder"])), probe=probe)


def main() -> None:
    """Serve until standard input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                _live_and_die(job)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


if __name__ == "__main__":
    main()
