"""The harness of the benchmarks at a small scale: what it measures that is no time may gate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from missing_servers import missing
from postgres_binaries import OLDEST, find_binaries

pytestmark = [pytest.mark.server, pytest.mark.slow]

BENCH = Path(__file__).parents[2] / "benchmarks" / "bench.py"


def measured(rows: int, tools: str) -> dict[str, Any]:
    if find_binaries() is None:
        missing("PostgreSQL", f"the harness starts a server of its own: install PostgreSQL {OLDEST} or newer")
    command = [sys.executable, str(BENCH), f"--rows={rows}", "--repeat=2", "--patience=0", f"--tools={tools}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def few() -> dict[str, Any]:
    return measured(1000, "rivet")


@pytest.fixture(scope="module")
def many() -> dict[str, Any]:
    return measured(300_000, "rivet,rivet-fast")


def test_every_run_but_the_first_is_reported(few: dict[str, Any]) -> None:
    assert [(run["tool"], run["rows"]) for run in few["runs"]] == [("rivet", 1000)] * 2


def test_a_run_has_a_cost_in_every_respect(few: dict[str, Any]) -> None:
    (run, _) = few["runs"]
    assert {name for name, value in run.items() if not value} <= {
        "others_cpu_seconds",
        "longest_transaction_seconds",
        "server_cpu_seconds",
    }


def test_many_rows_take_as_many_statements_as_few(few: dict[str, Any], many: dict[str, Any]) -> None:
    statements = {run["statements"] for results in (few, many) for run in results["runs"] if run["tool"] == "rivet"}
    assert len(statements) == 1


@pytest.mark.parametrize("tool", ["rivet", "rivet-fast"])
def test_an_export_stays_within_its_memory(tool: str, many: dict[str, Any]) -> None:
    assert max(run["peak_bytes"] for run in many["runs"] if run["tool"] == tool) < 300 << 20
