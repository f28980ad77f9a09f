"""Whoever is told that something is wrong with a destination is told what to do next."""

from __future__ import annotations

import ast
import errno
import os
from pathlib import Path

import pytest

import rivet_core.destinations
from rivet_core.destinations.local.faults import translated
from rivet_core.errors import RivetError

ERRORS = {"UsageError", "EnvironmentFailure", "RefusalError", "IntegrityError"}
FOLDER = Path(rivet_core.destinations.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(FOLDER)))
def test_every_error_that_is_made_has_a_remedy(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ERRORS]
    assert [f"line {call.lineno}" for call in made if "remedy" not in {word.arg for word in call.keywords}] == []


@pytest.mark.parametrize("number", sorted(errno.errorcode), ids=lambda number: errno.errorcode[number])
def test_whatever_the_operating_system_says_has_a_remedy(number: int, tmp_path: Path) -> None:
    with pytest.raises(RivetError) as caught, translated("part", tmp_path):
        raise OSError(number, os.strerror(number))
    assert caught.value.remedy
