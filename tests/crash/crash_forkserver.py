"""A pre-imported server that forks one mortal process for each job, so that a real SIGKILL costs no import.

A job is a line of JSON on standard input: the world's name, its folder, the point and its occurrence, and whether the
process kills itself there or stops until it is continued. The answer is the child's wait status; a child that lived to
the end exits with its outcome's exit code.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from crash_world import WORLDS


def _live_and_die(job: dict[str, str | int]) -> int:
    passed = 0

    def probe(point: str) -> None:
        nonlocal passed
        passed += point == job["point"]
        if point != job["point"] or passed != job["nth"]:
            return
        if job["action"] == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        (folder / "stopped").write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)
        # The signal may reach another thread first, and this one must not walk on meanwhile.
        time.sleep(0.3)

    folder = Path(str(job["folder"]))
    return int(WORLDS[str(job["world"])].run(folder, probe=probe).exit)


def main() -> None:
    """Serve until standard input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            status = 99
            try:
                status = _live_and_die(job)
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        print(status, flush=True)


if __name__ == "__main__":
    main()
