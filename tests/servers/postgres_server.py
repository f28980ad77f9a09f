"""PostgreSQL for the tests: one private server a session, one empty database a test.

The server listens on the loopback only, on a free port, in a temporary folder, as an ordinary user, and ends with the
session. `RIVET_TEST_POSTGRES_URL` names another server to use instead.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import attrs
import pytest
from missing_servers import missing
from postgres_binaries import find_binaries

URL_VARIABLE = "RIVET_TEST_POSTGRES_URL"
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "wal_level": "logical",
    "max_wal_senders": "10",
    "max_replication_slots": "10",
    "max_connections": "60",
    "timezone": "UTC",
    # What the server writes is thrown away at the end, so it need not survive a power cut.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
}
START_SECONDS = 30


@attrs.frozen(kw_only=True)
class PostgresServer:
    """A running server; `url` names a user who may create databases."""

    url: str
    psql: str

    def database_url(self, name: str) -> str:
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def psql_text(self, query: str, *, url: str | None = None) -> str:
        """Runs SQL and returns what psql prints: unaligned, no header, one line a row."""
        command = [self.psql, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
        command += ["--set=ON_ERROR_STOP=1", f"--dbname={url or self.url}", "--file=-"]
        # Messages are asserted on, so they must not follow the machine's language.
        environment = {**os.environ, "LC_ALL": "C", "PGCLIENTENCODING": "UTF8"}
        done = subprocess.run(
            command, input=query, capture_output=True, encoding="utf-8", env=environment, timeout=60, check=False
        )
        assert done.returncode == 0, f"psql: {done.stderr.strip()}\n{query}"
        return done.stdout.removesuffix("\n")

    @contextmanager
    def database(self, prefix: str, sql: str = "", encoding: str = "UTF8") -> Iterator[PostgresDatabase]:
        """A new database, filled by some SQL; it is dropped behind the block, and when it cannot be filled."""
        name = f"{prefix}_{secrets.token_hex(6)}"
        # The server's own locale fits no encoding but its own.
        locale = "" if encoding == "UTF8" else " LC_COLLATE 'C' LC_CTYPE 'C'"
        self.psql_text(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}'{locale}")
        try:
            made = PostgresDatabase(name=name, url=self.database_url(name), server=self)
            made.run_sql(sql)
            yield made
        finally:
            self.psql_text(f"DROP DATABASE {name} WITH (FORCE)")


@attrs.frozen(kw_only=True)
class PostgresDatabase:
    """A database of a test's own."""

    name: str
    url: str
    server: PostgresServer

    def run_sql(self, text: str) -> None:
        """Runs statements, each committed on its own."""
        self.server.psql_text(text, url=self.url)

    def psql_text(self, query: str) -> str:
        """What psql prints for a query: columns apart by `|`, one line a row, NULL as nothing."""
        return self.server.psql_text(query, url=self.url)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    binaries = find_binaries()
    if url := os.environ.get(URL_VARIABLE):
        psql = binaries / "psql" if binaries else shutil.which("psql")
        if psql is None:
            missing("PostgreSQL", f"{URL_VARIABLE} is set, but there is no psql to prepare databases with")
        yield PostgresServer(url=url, psql=str(psql))
        return
    if binaries is None:
        missing("PostgreSQL", f"install the package postgresql or set {URL_VARIABLE}")
    with running(binaries) as server:
        yield server


@pytest.fixture
def postgres_database(postgres_server: PostgresServer) -> Iterator[PostgresDatabase]:
    with postgres_server.database("rivet_test") as made:
        yield made


@contextmanager
def running(binaries: Path) -> Iterator[PostgresServer]:
    # Not below pytest's own temporary folder: that one is closed to the ordinary user.
    folder = Path(tempfile.mkdtemp(prefix="rivet-postgres-"))
    try:
        owner = ordinary_user()
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        password = initialise(binaries, folder, owner)
        process, port = start(binaries, folder, owner)
        try:
            url = f"postgresql://rivet:{password}@127.0.0.1:{port}/postgres"
            yield PostgresServer(url=url, psql=str(binaries / "psql"))
        finally:
            stop(process)
    finally:
        shutil.rmtree(folder)


def ordinary_user() -> pwd.struct_passwd:
    """This user, or one without rights when it is root: the server refuses to run as root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    known = {user.pw_name: user for user in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def spawn(command: list[str], folder: Path, owner: pwd.struct_passwd, log: Path) -> subprocess.Popen[bytes]:
    other = owner.pw_uid != os.geteuid()
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            user=owner.pw_uid if other else None,
            group=owner.pw_gid if other else None,
            extra_groups=[] if other else None,
        )


def initialise(binaries: Path, folder: Path, owner: pwd.struct_passwd) -> str:
    """Makes the data folder, and returns the password of its user."""
    password = secrets.token_hex(8)
    word, log = folder / "password", folder / "initdb.log"
    word.write_text(password)
    os.chown(word, owner.pw_uid, owner.pw_gid)
    command = [str(binaries / "initdb"), "--pgdata", "data", "--username", "rivet", "--pwfile", "password"]
    command += ["--auth-host=scram-sha-256", "--auth-local=trust", "--no-locale", "--encoding=UTF8", "--no-sync"]
    code = spawn(command, folder, owner, log).wait(timeout=START_SECONDS)
    assert code == 0, f"initdb failed:\n{log.read_text()}"
    return password


def start(binaries: Path, folder: Path, owner: pwd.struct_passwd) -> tuple[subprocess.Popen[bytes], int]:
    """Starts the server; the port may be taken between choosing and using it, so it tries more than once."""
    log = folder / "postgres.log"
    for _ in range(3):
        port = free_port()
        options = [f"--{name}={value}" for name, value in SETTINGS.items()]
        command = [str(binaries / "postgres"), "-D", "data", "-p", str(port), "-k", str(folder), *options]
        if setpriv := shutil.which("setpriv"):
            # A killed test run must not leave its server behind.
            command = [setpriv, "--pdeathsig", "INT", "--", *command]
        process = spawn(command, folder, owner, log)
        if answers(process, binaries, port):
            return process, port
        stop(process)
    msg = f"PostgreSQL did not start:\n{log.read_text()}"
    raise RuntimeError(msg)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(process: subprocess.Popen[bytes], binaries: Path, port: int) -> bool:
    """Whether the server takes connections before it dies or the time is up."""
    command = [str(binaries / "pg_isready"), "--quiet", "--host=127.0.0.1", f"--port={port}"]
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        if subprocess.run(command, check=False).returncode == 0:
            return True
        time.sleep(0.05)
    return False


def stop(process: subprocess.Popen[bytes]) -> None:
    # One more signal when the last did not do: fast shutdown, then immediate, then by force.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(number)
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            continue
        return
