"""The fork server, one for the session."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_HERE = Path(__file__).parent
_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory where there is one: these tests kill processes and not machines, so fsync only costs time."""
    folder = Path(tempfile.mkdtemp(prefix="rivet-", dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def live_until() -> Iterator[Callable[..., int]]:
    """Run a world in a process of its own that dies or stops at a point; return its wait status."""
    paths = os.pathsep.join([str(_HERE), str(_HERE.parent / "stretch"), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(
        [sys.executable, str(_HERE / "crash_forkserver.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    asks, answers = server.stdin, server.stdout

    def live(world: str, folder: Path, point: str, nth: int = 1, action: str = "kill") -> int:
        job = {"world": world, "folder": str(folder), "point": point, "nth": nth, "action": action}
        asks.write(json.dumps(job) + "\n")
        asks.flush()
        return int(answers.readline())

    with server:
        yield live
        asks.close()
        server.wait(10)


@pytest.fixture
def kill_at(live_until: Callable[..., int]) -> Callable[[str, Path, str, int], bool]:
    """Run a world in a process that is killed at a point; return whether it came to that."""

    def kill(world: str, folder: Path, point: str, nth: int) -> bool:
        status = live_until(world, folder, point, nth)
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            return True
        assert os.WEXITSTATUS(status) == 0
        return False

    return kill
