"""Whoever is told that something is wrong is told what to do next."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rivet_source_postgres

ERRORS = {"UsageError", "EnvironmentFailure", "RefusalError", "SnapshotGone", "IntegrityError", "DriftError"}
MODULES = sorted(Path(rivet_source_postgres.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_every_error_that_is_made_has_a_remedy(module: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ERRORS]
    assert [f"line {call.lineno}" for call in made if "remedy" not in {word.arg for word in call.keywords}] == []
