"""A server that goes silent in the middle of a read: connections stay open, and nothing comes any more."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

PATIENCE_S = 30.0
#: Of what the server sends, the proxy lets so much through.
BYTES = 3_000_000


class Stalling:
    """A proxy that goes silent, for old connections and new ones, when enough has come from the server."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._kept: list[socket.socket] = []
        self.stalled = threading.Event()
        self._ended = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._kept.append(client)
                if self.stalled.is_set():
                    continue
                server = socket.create_connection(self._target)
                self._kept.append(server)
                for pair in ((client, server, False), (server, client, True)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, here: socket.socket, there: socket.socket, counted: bool) -> None:  # noqa: FBT001
        passed = 0
        with suppress(OSError):
            while data := here.recv(65536):
                if self.stalled.is_set():
                    return
                there.sendall(data)
                passed += len(data)
                if counted and passed > BYTES:
                    self.stalled.set()
                    return
            there.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for one in (self._listener, *self._kept):
            one.close()


@pytest.fixture
def stalling(room: Any) -> Iterator[Stalling]:
    parts = urlsplit(room.url)
    proxy = Stalling((parts.hostname or "", parts.port or 5432))
    yield proxy
    proxy.close()


@contextmanager
def begun(room: Any, stalling: Stalling, folder: Path, timeout_s: int) -> Iterator[subprocess.Popen[str]]:
    """A run that reads more than the proxy lets through; it does not outlive the block."""
    room.run_sql("CREATE TABLE big AS SELECT n, repeat('x', 500) AS x FROM generate_series(1, 40000) n")
    parts = urlsplit(room.url)
    url = room.url.replace(f":{parts.port}/", f":{stalling.port}/")
    (folder / "rivet.yaml").write_text(
        f"""
source:
  type: postgres
  url: "{url}"
  tuning: {{statement_timeout_s: {timeout_s}, max_retries: 0, batch_size: 1000}}
exports:
  - {{name: big, table: {room.schema}.big, mode: full, format: parquet, destination: {{type: local, path: out}}}}
"""
    )
    command = [sys.executable, "-m", "rivet_core", "run", "-c", "rivet.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_statement_timeout_ends_the_run(room: Any, stalling: Stalling, tmp_path: Path) -> None:
    with begun(room, stalling, tmp_path, 2) as process:
        assert "RIVET_SOURCE_STATEMENT_TIMEOUT" in process.communicate(timeout=PATIENCE_S)[0]
    assert process.returncode > 0
    assert stalling.stalled.is_set()


def test_ctrl_c_ends_the_run(room: Any, stalling: Stalling, tmp_path: Path) -> None:
    with begun(room, stalling, tmp_path, 0) as process:
        assert stalling.stalled.wait(PATIENCE_S)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        asked = time.monotonic()
        process.communicate(timeout=PATIENCE_S)
        assert time.monotonic() - asked < 10
    assert process.returncode > 0
