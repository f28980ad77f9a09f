"""A PostgreSQL server of a test's own, to be killed and brought back; it keeps its port and its data."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pwd import struct_passwd

import attrs
from missing_servers import missing
from postgres_binaries import find_binaries
from postgres_server import (
    SETTINGS,
    PostgresDatabase,
    PostgresServer,
    answers,
    free_port,
    initialise,
    ordinary_user,
    spawn,
    stop,
)


@attrs.define(kw_only=True)
class MortalServer:
    """A server; what a crash loses matters here, so it syncs."""

    binaries: Path
    folder: Path
    owner: struct_passwd
    password: str
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> PostgresDatabase:
        url = f"postgresql://rivet:{self.password}@127.0.0.1:{self.port}/postgres"
        server = PostgresServer(url=url, psql=str(self.binaries / "psql"))
        return PostgresDatabase(name="postgres", url=url, server=server)

    def start(self) -> None:
        """Starts it, and waits until it takes connections; after a crash it recovers first."""
        options = [f"--{name}={value}" for name, value in SETTINGS.items() if value != "off"]
        options += ["-D", "data", "-p", str(self.port), "-k", str(self.folder)]
        command = [str(self.binaries / "postgres"), *options]
        if setpriv := shutil.which("setpriv"):
            command = [setpriv, "--pdeathsig", "INT", "--", *command]
        self.process = spawn(command, self.folder, self.owner, self.folder / "postgres.log")
        assert answers(self.process, self.binaries, self.port)

    def stop_at_once(self) -> None:
        """An immediate shutdown: sessions are cut, nothing is finished."""
        assert self.process is not None
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(timeout=30)

    def kill_backend(self, pid: int) -> None:
        """Kills one server process, whereupon the server ends all sessions and recovers."""
        assert self.process is not None
        # Only a child of this server is killed, whatever number was given.
        parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        assert int(parent) == self.process.pid
        os.kill(pid, signal.SIGKILL)


@contextmanager
def mortal() -> Iterator[MortalServer]:
    """A running server, gone with the block."""
    binaries = find_binaries()
    if binaries is None:
        missing("PostgreSQL", "install the package postgresql: this test kills its server, so it needs one of its own")
    folder = Path(tempfile.mkdtemp(prefix="rivet-mortal-"))
    owner = ordinary_user()
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    server = MortalServer(
        binaries=binaries,
        folder=folder,
        owner=owner,
        password=initialise(binaries, folder, owner),
        port=free_port(),
    )
    try:
        server.start()
        yield server
    finally:
        if server.process is not None:
            stop(server.process)
        shutil.rmtree(folder)
