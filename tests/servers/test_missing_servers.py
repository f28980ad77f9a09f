"""What did not run is failed, or counted and printed, by the reason of its skip."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REASONED = """
import pytest
from missing_servers import missing
def test_missing(): missing("Oracle", "there is none")
def test_undeclared(): pytest.skip("capability: source without changes")
@pytest.mark.xfail(strict=True)
def test_expected(): assert False
"""
QUIET = {
    "in a test": "def test_it(): pytest.skip('not today')",
    "as a mark": "@pytest.mark.skipif(True, reason='not here')\ndef test_it(): pass",
    "in a fixture": "@pytest.fixture\ndef given(): pytest.skip('none given')\ndef test_it(given): pass",
    "of a module": "pytest.importorskip('no_such_module', reason='not installed')\ndef test_it(): pass",
}


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, f"--rootdir={folder}", "-p", "missing_servers", "-q"]
    environment = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(Path(__file__).parent)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_skip_for_what_is_missing_or_not_declared_is_printed_and_counted(tmp_path: Path) -> None:
    done = run(tmp_path, REASONED)
    assert done.returncode == 0, done.stdout
    assert "NOT RUN: 1 tests, missing server: Oracle: there is none" in done.stdout
    assert "2 skipped, 1 xfailed" in done.stdout


@pytest.mark.parametrize("text", QUIET.values(), ids=QUIET)
def test_a_skip_for_another_reason_fails(tmp_path: Path, text: str) -> None:
    done = run(tmp_path, f"import pytest\n{text}\n")
    assert done.returncode != 0
    assert "skip by missing_servers.missing" in done.stdout
