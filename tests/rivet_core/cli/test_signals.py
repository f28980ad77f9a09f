from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Rivet

    Start = Callable[..., subprocess.Popen[str]]

#: Enough to read for some seconds.
MANY = 1_500_000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def large_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop's orders, so many that a run is still reading when it is looked at."""
    path = tmp_path_factory.mktemp("large") / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount REAL)")
        connection.execute(
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) "
            "INSERT INTO orders SELECT n, 'order ' || n, n * 1.5 FROM c",
            (MANY,),
        )
    return path


@pytest.fixture
def large(shop: Path, large_database: Path) -> Path:
    shutil.copy(large_database, shop / "shop.db")
    return shop


@pytest.fixture
def reading(large: Path, start: Start) -> Iterator[subprocess.Popen[str]]:
    """A run that has opened and is reading."""
    with start("run", "-c", "rivet.yaml", "-e", "orders") as process:
        assert process.stderr is not None
        assert "opened" in process.stderr.readline()
        time.sleep(0.3)
        yield process
        process.kill()


def shrink(shop: Path) -> None:
    """Leave few rows, so that the next run is quick."""
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("DELETE FROM orders WHERE id > 1000")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_and_the_next_one_succeeds(
    reading: subprocess.Popen[str],
    large: Path,
    number: signal.Signals,
    code: int,
    spawn: Rivet,
    rows: Callable[[str], int],
) -> None:
    reading.send_signal(number)
    out, err = reading.communicate(timeout=30)
    assert reading.returncode == code
    assert "Traceback" not in err
    assert "orders: open [RIVET_RUN_STOPPED]" in out
    shrink(large)
    assert spawn("run", "-c", "rivet.yaml", "-e", "orders").code == 0
    assert rows("out/orders") == 1000


def test_a_stopped_run_is_shown_as_open(reading: subprocess.Popen[str], spawn: Rivet) -> None:
    reading.send_signal(signal.SIGTERM)
    reading.communicate(timeout=30)
    assert [run["status"] for run in spawn("state", "runs", "-c", "rivet.yaml", "--running", "--json").json()] == [
        "open"
    ]


def test_a_second_signal_ends_at_once(reading: subprocess.Popen[str]) -> None:
    reading.send_signal(signal.SIGINT)
    reading.send_signal(signal.SIGTERM)
    _, err = reading.communicate(timeout=10)
    assert reading.returncode in {130, 143}
    assert "Traceback" not in err


def test_a_killed_run_does_not_stop_the_next_one(
    reading: subprocess.Popen[str], large: Path, spawn: Rivet, rows: Callable[[str], int]
) -> None:
    reading.kill()
    reading.wait()
    shrink(large)
    assert spawn("--lock-wait", "0", "run", "-c", "rivet.yaml", "-e", "orders").code == 0
    assert rows("out/orders") == 1000


def test_a_second_process_on_the_same_export_is_busy(reading: subprocess.Popen[str], spawn: Rivet) -> None:
    done = spawn("--lock-wait", "0", "run", "-c", "rivet.yaml", "-e", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (2, "RIVET_STATE_LOCK_TIMEOUT")


def test_the_variable_sets_the_wait_too(reading: subprocess.Popen[str], spawn: Rivet) -> None:
    done = spawn("run", "-c", "rivet.yaml", "-e", "orders", "--json-errors", RIVET_LOCK_WAIT="0")
    assert (done.code, done.error()["code"]) == (2, "RIVET_STATE_LOCK_TIMEOUT")


def test_a_signal_ends_the_waiting_for_another_process(reading: subprocess.Popen[str], start: Start) -> None:
    with start("run", "-c", "rivet.yaml", "-e", "orders", "--json-errors") as waiting:
        time.sleep(2)
        waiting.send_signal(signal.SIGTERM)
        _, err = waiting.communicate(timeout=10)
    assert waiting.returncode == 143
    assert "Traceback" not in err


def test_a_reset_beside_a_live_run_is_busy(reading: subprocess.Popen[str], spawn: Rivet) -> None:
    done = spawn("--lock-wait", "0", "state", "reset", "-c", "rivet.yaml", "-e", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (2, "RIVET_STATE_LOCK_TIMEOUT")


def test_a_signal_outside_a_run_ends_without_a_traceback(shop: Path, start: Start) -> None:
    # Whoever opens it waits until somebody writes.
    os.mkfifo(shop / "endless.yaml")
    with start("check", "-c", "endless.yaml") as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, "Traceback" in err) == (130, False)
