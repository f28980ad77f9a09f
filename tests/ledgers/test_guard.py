"""The guard itself, over a small suite of its own: it must fail for every cell that is not proved."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ledger_cells import matches

HERE = Path(__file__).parent
SUITE = """
import time
import pytest

def test_passes(): pass
def test_fails(): assert False
def test_skips(): pytest.skip("not today")
@pytest.mark.xfail(strict=True)
def test_is_expected_to_fail(): assert False
@pytest.fixture
def broken(): raise OSError
def test_cannot_begin(broken): pass
@pytest.fixture
def breaking():
    yield
    raise OSError
def test_cannot_end(breaking): pass
@pytest.mark.parametrize("n", [1, 2])
def test_passes_for_some(n): assert n == 1
@pytest.mark.parametrize("n", [1, 2])
def test_passes_for_all(n): pass
def test_misses_a_server(): pytest.skip("missing server: PostgreSQL: install it")
def test_takes_longer_than_the_rest(): time.sleep(4)
"""
#: Row to what the guard must make of it.
VERDICTS = {
    "passes": "PASSED",
    "fails": "FAILED",
    "skips": "FAILED",
    "is_expected_to_fail": "FAILED",
    "cannot_begin": "FAILED",
    "cannot_end": "FAILED",
    "passes_for_some": "FAILED",
    "passes_for_all": "PASSED",
    "does_not_exist": "FAILED",
    "misses_a_server": "SKIPPED",
    "takes_longer_than_the_rest": "PASSED",
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    ledgers = tmp_path / "tests" / "ledgers"
    ledgers.mkdir(parents=True)
    for path in ("ledger_cells.py", "ledger_results.py", "test_ledgers.py", "../servers/missing_servers.py"):
        shutil.copy(HERE / path, ledgers)
    (tmp_path / "tests" / "test_it.py").write_text(SUITE)
    (tmp_path / "tests" / "conftest.py").write_text('pytest_plugins = ("ledger_results",)\n')
    settings = [
        "--import-mode=importlib",
        "pythonpath = tests/ledgers",
        "testpaths = tests",
        "markers =\n  guard: last",
    ]
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = " + "\n".join(settings) + "\n")
    rows = "".join(
        f'  - {{id: {row}, means: it {row}, each: {{test: "tests/test_it.py::test_{row}"}}}}\n' for row in VERDICTS
    )
    for name in ("durability-ordering.yaml", "runner-coverage.yaml"):
        (ledgers / name).write_text(f"columns:\n  full: {{runner: full}}\nrows:\n{rows}")
    return tmp_path


def verdicts(suite: Path, *arguments: str) -> dict[str, set[str]]:
    """Run the small suite and return what the guard made of each row, in both ledgers."""
    command = [sys.executable, "-m", "pytest", "-rA", "-q", *arguments]
    done = subprocess.run(command, cwd=suite, capture_output=True, text=True, check=False)
    pattern = r"^(PASSED|FAILED) tests/ledgers/test_ledgers.py::test_every_named_test_ran_and_passed\[\S+\.yaml-(\w+)\]"
    found = re.findall(pattern, done.stdout, flags=re.MULTILINE)
    assert found, done.stdout
    rows = {row: {word for word, name in found if name == row} for row in VERDICTS}
    return {row: words or {"SKIPPED"} for row, words in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_row_passes_only_when_all_that_it_names_ran_and_passed(suite: Path, workers: str) -> None:
    assert verdicts(suite, "-n", workers) == {row: {word} for row, word in VERDICTS.items()}


@pytest.mark.slow
def test_a_part_of_the_suite_is_not_judged(suite: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-k", "ran_and_passed or test_passes"]
    done = subprocess.run(command, cwd=suite, capture_output=True, text=True, check=False)
    assert f"{2 * len(VERDICTS)} skipped" in done.stdout


@pytest.mark.parametrize(
    ("text", "nodeid", "named"),
    [
        ("a.py::test_x", "a.py::test_x", True),
        ("a.py::test_x", "a.py::test_x[1]", True),
        ("a.py::test_x", "a.py::test_xy", False),
        ("a.py::test_x[full]", "a.py::test_x[full]", True),
        ("a.py::test_x[full]", "a.py::test_x[fuller]", False),
        ("a.py::test_x[*-full]", "a.py::test_x[1-full]", True),
        ("a.py::test_x[*-full]", "a.py::test_x[full-1]", False),
        ("a.py::test_x[full]", "a.py::test_x", False),
    ],
)
def test_a_cell_names_a_test_or_all_its_parameters(text: str, nodeid: str, named: bool) -> None:  # noqa: FBT001
    assert matches(text, nodeid) is named
