from __future__ import annotations

import ast
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CONSTRAINT = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.+!]+)")


@pytest.fixture(scope="module")
def readme_commands(root: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)\n```$", (root / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def constraints(root: Path) -> dict[str, str]:
    lines = (root / "constraints.txt").read_text().splitlines()
    matches = {line: CONSTRAINT.fullmatch(line) for line in lines}
    assert [line for line, match in matches.items() if match is None] == []
    return {canonicalize_name(match[1]): match[2] for match in matches.values() if match}


def sessions(root: Path) -> dict[str, bool]:
    """The sessions of the noxfile, and whether nox runs them unasked."""
    found, default = {}, set()
    for node in ast.parse((root / "noxfile.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "nox.options.sessions":
            default = set(ast.literal_eval(node.value))
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if ast.unparse(decorator).startswith("nox.session"):
                keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
                names = [ast.literal_eval(keyword.value) for keyword in keywords if keyword.arg == "name"]
                found[names[0] if names else node.name] = False
    return {name: name in default for name in found}


def test_the_readme_has_two_commands(readme_commands: list[str]) -> None:
    assert len(readme_commands) == 2
    assert readme_commands[0] == f"{readme_commands[1]} -s demo"


def test_ci_runs_the_readmes_second_command_word_for_word(root: Path, readme_commands: list[str]) -> None:
    script = (root / ".ci" / "run").read_text()
    assert script.splitlines()[-1] == readme_commands[1]


def test_ci_stops_at_the_first_failure(root: Path) -> None:
    script = root / ".ci" / "run"
    assert "\nset -euo pipefail\n" in script.read_text()
    assert os.access(script, os.X_OK)


def test_the_workflow_runs_what_developers_run(root: Path) -> None:
    jobs = yaml.safe_load((root / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    steps = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    assert any(".ci/run" in step for step in steps)


def test_contributing_lists_every_session_and_no_other(root: Path) -> None:
    text = (root / "CONTRIBUTING.md").read_text()
    section = text.partition("\n## Sessions\n")[2].partition("\n## ")[0]
    listed = {name: bool(star) for name, star in re.findall(r"^\| `([\w-]+)`( \*)? \|", section, flags=re.MULTILINE)}
    assert listed == sessions(root)


def test_what_nox_runs_unasked_covers_lint_types_and_tests(root: Path) -> None:
    assert {name for name, default in sessions(root).items() if default} >= {"lint", "types", "tests", "demo"}


def test_every_requirement_has_a_constraint_that_it_allows(
    root: Path, metadata: dict[str, Any], constraints: dict[str, str]
) -> None:
    groups = tomllib.loads((root / "pyproject.toml").read_text())["dependency-groups"]
    texts = [text for group in groups.values() for text in group if isinstance(text, str)] + ["nox", "hatchling"]
    for project in metadata.values():
        for group in (project["dependencies"], *project.get("optional-dependencies", {}).values()):
            texts += group
    needs = [need for need in map(Requirement, texts) if need.name not in metadata]
    pins = {need: constraints.get(canonicalize_name(need.name)) for need in needs}
    assert [str(need) for need, pin in pins.items() if pin is None or pin not in need.specifier] == []
