"""Whoever is told that something is wrong is told what to do next, whichever distribution tells it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rivet_core import errors
from rivet_core.errors import InternalError, RivetError

ROOT = Path(__file__).parents[2]
MODULES = sorted(ROOT.glob("rivet-*/src/**/*.py"))
#: A bug of our own has one remedy, which whoever prints it knows.
ERRORS = {
    name
    for name, cls in vars(errors).items()
    if isinstance(cls, type) and issubclass(cls, RivetError) and not issubclass(cls, InternalError)
}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))
def test_every_error_that_is_made_has_a_remedy(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ERRORS]
    # Keywords that are handed on as a mapping have no name.
    assert [f"line {call.lineno}" for call in made if not {"remedy", None} & {word.arg for word in call.keywords}] == []
