"""The guard of the matrices: a cell names a test that exists, ran and passed, or says why there is none."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from ledger_cells import LEDGERS, Cell, matches, read_ledger
from ledger_results import RESULTS, Result
from missing_servers import PREFIX as MISSING

from rivet_core.plugins import Plugins, Seam

ROOT = Path(__file__).parents[2]
#: How long the last tests of other workers may take.
PATIENCE = 600.0

each_ledger = pytest.mark.parametrize("name", LEDGERS)
each_row = pytest.mark.parametrize(("name", "row"), [(name, row) for name in LEDGERS for row in read_ledger(name).rows])


def registered() -> set[str]:
    """The kinds of runner that are built in; a plugin of ours with a runner counts as well."""
    rows = Plugins.installed({}).listing()
    return {row.kind for row in rows if row.seam == Seam.RUNNER and row.distribution.startswith("rivet-")}


def defined(cell: Cell) -> bool:
    """Whether a cell's file defines its test, perhaps in a class."""
    file, _, name = cell.text.partition("[")[0].partition("::")
    path = ROOT / file
    if not (path.is_file() and name):
        return False
    scope: list[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    for word in name.split("::"):
        found = [node for node in scope if getattr(node, "name", None) == word]
        if not found:
            return False
        scope = getattr(found[0], "body", [])
    return True


@each_ledger
def test_every_cell_says_one_thing(name: str) -> None:
    assert [cell.place for cell in read_ledger(name).cells if not cell.word] == []


@each_ledger
def test_no_row_stands_there_twice(name: str) -> None:
    rows = read_ledger(name).rows
    assert len(set(rows)) == len(rows)


def test_every_registered_runner_is_a_column() -> None:
    assert registered() - set(read_ledger("runner-coverage.yaml").runners.values()) == set()


@each_ledger
def test_no_cell_of_a_registered_runner_waits(name: str) -> None:
    ledger = read_ledger(name)
    built = {column for column, runner in ledger.runners.items() if runner in registered()}
    built |= set(ledger.columns) - set(ledger.runners)
    assert [cell.place for cell in ledger.cells if cell.word == "later" and cell.column in built] == []


@each_ledger
def test_every_named_test_exists(name: str) -> None:
    cells = [cell for cell in read_ledger(name).cells if cell.word == "test"]
    assert [f"{cell.place}: {cell.text}" for cell in cells if not defined(cell)] == []


@pytest.mark.guard
@pytest.mark.timeout(PATIENCE + 60)
@each_row
def test_every_named_test_ran_and_passed(name: str, row: str, request: pytest.FixtureRequest) -> None:
    results = request.config.stash[RESULTS]
    paths = {Path(argument).resolve() for argument in request.config.args}
    if paths != {ROOT / "tests"} or results.deselected:
        pytest.skip("a part of the suite: the guard of the ledgers judges a run of the whole one")
    cells = [cell for cell in read_ledger(name).cells if cell.row == row and cell.word == "test"]
    named = {cell: {item.nodeid for item in request.session.items if matches(cell.text, item.nodeid)} for cell in cells}
    found = results.wait_for(set().union(*named.values()), PATIENCE)
    wrong = [f"{cell.column}: no such test: {cell.text}" for cell, nodeids in named.items() if not nodeids]
    missing = []
    for cell, nodeids in named.items():
        for nodeid in sorted(nodeids):
            result = found.get(nodeid, Result("not run"))
            if result.outcome == "skipped" and MISSING in result.reason:
                missing.append(f"{MISSING}{result.reason.partition(MISSING)[2]}")
            elif result.outcome != "passed":
                wrong.append(f"{cell.column}: {nodeid} {result.outcome} {result.reason}".strip())
    assert wrong == []
    if missing:
        pytest.skip(missing[0])
