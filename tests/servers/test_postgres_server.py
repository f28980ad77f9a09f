from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from missing_servers import missing
from postgres_server import PostgresDatabase, PostgresServer

TESTS = Path(__file__).parents[1]


def test_a_database_is_empty_and_its_text_is_utf8(postgres_database: PostgresDatabase) -> None:
    tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert postgres_database.psql_text(tables) == "0"
    assert postgres_database.psql_text("SELECT 'é', current_setting('server_encoding')") == "é|UTF8"


def test_statements_are_committed(postgres_database: PostgresDatabase) -> None:
    postgres_database.run_sql("CREATE TABLE t (i int); INSERT INTO t VALUES (1), (2);")
    assert postgres_database.psql_text("SELECT i FROM t ORDER BY i") == "1\n2"


def test_a_failing_statement_fails_the_test_with_the_servers_words(postgres_database: PostgresDatabase) -> None:
    with pytest.raises(AssertionError, match='relation "absent" does not exist'):
        postgres_database.run_sql("SELECT * FROM absent; SELECT 1")


def databases(server: PostgresServer, prefix: str) -> str:
    return server.psql_text(f"SELECT count(*) FROM pg_database WHERE datname LIKE '{prefix}%'")


def test_a_database_that_cannot_be_filled_is_dropped(postgres_server: PostgresServer) -> None:
    with pytest.raises(AssertionError, match="absent"), postgres_server.database("rivet_ill", "SELECT * FROM absent"):
        pass
    assert databases(postgres_server, "rivet_ill") == "0"


def test_a_database_of_another_encoding_is_filled_and_dropped(postgres_server: PostgresServer) -> None:
    with postgres_server.database("rivet_latin", "CREATE TABLE t (i int)", encoding="LATIN1") as made:
        assert made.psql_text("SELECT current_setting('server_encoding'), count(*) FROM t") == "LATIN1|0"
    assert databases(postgres_server, "rivet_latin") == "0"


def test_changes_can_be_captured(postgres_server: PostgresServer) -> None:
    assert postgres_server.psql_text("SHOW wal_level") == "logical"


def run_pytest(folder: Path, tests: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A session of its own, with the fixtures of the servers."""
    (folder / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(TESTS / 'servers')!r})\n"
        "pytest_plugins = ('missing_servers', 'postgres_server')\n"
    )
    (folder / "test_it.py").write_text(tests)
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "RIVET_TEST_POSTGRES_URL"}}
    environment |= variables
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder, check=False)


WITHOUT_SERVER = """
import postgres_server

postgres_server.find_binaries = lambda: None

def test_it(postgres_database): pass
def test_too(postgres_database): pass
"""

KILLED = """
import os, pathlib, signal

def test_it(postgres_server):
    pathlib.Path("where").write_text(postgres_server.psql_text("SHOW data_directory"))
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_missing_server_is_counted_and_printed(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, WITHOUT_SERVER)
    assert done.returncode == 0
    assert "NOT RUN: 2 tests, missing server: PostgreSQL" in done.stdout


@pytest.mark.slow
def test_a_missing_server_is_an_error_in_ci(tmp_path: Path) -> None:
    done = run_pytest(tmp_path, WITHOUT_SERVER, CI="true")
    assert done.returncode == 1
    assert "2 errors" in done.stdout


@pytest.mark.slow
def test_a_killed_session_takes_its_server_along(tmp_path: Path) -> None:
    if shutil.which("setpriv") is None:
        missing("setpriv", "install the package util-linux; without it a server outlives a killed session")
    done = run_pytest(tmp_path, KILLED)
    assert done.returncode == -signal.SIGKILL
    data = Path((tmp_path / "where").read_text())
    until = time.monotonic() + 20
    # The server removes this file as the last thing it does.
    while (data / "postmaster.pid").exists() and time.monotonic() < until:
        time.sleep(0.05)
    ended = not (data / "postmaster.pid").exists()
    shutil.rmtree(data.parent)
    assert ended
