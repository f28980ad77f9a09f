"""The kit is tested by broken plugins: each contract test has a witness that it fails on."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rivet_core.testing import (
    DestinationContract,
    FormatContract,
    PackagingContract,
    RunnerContract,
    SourceContract,
)
from rivet_core.testing.contract import Contract

# The first test pays for a whole session of the broken plugins, which a busy machine may make long.
_PATIENCE_SECONDS = 600
_TEST_SECONDS = 60
pytestmark = [pytest.mark.slow, pytest.mark.timeout(_PATIENCE_SECONDS + 50)]

BROKEN = Path(__file__).parent / "broken"
CONTRACTS: dict[str, type[Contract]] = {
    "broken_sources": SourceContract,
    "broken_destinations": DestinationContract,
    "broken_formats": FormatContract,
    "broken_runners": RunnerContract,
    "broken_packages": PackagingContract,
}
#: What the failure of a contract test is, where its class names nothing else.
FAILURE = "AssertionError|Failed"


def claims() -> list[tuple[str, str, str, str]]:
    """Module, class, test and expected error of each claim to be a witness, from the text: importing is the child's."""
    found = []
    for module in CONTRACTS:
        for node in ast.parse((BROKEN / f"{module}.py").read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                values = {
                    ast.unparse(line.targets[0]): line.value for line in node.body if isinstance(line, ast.Assign)
                }
                if "sound" not in values:
                    error = ast.literal_eval(values["error"]) if "error" in values else FAILURE
                    found += [(module, node.name, test, error) for test in ast.literal_eval(values["witnesses"])]
    return found


CLAIMS = claims()


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """How every witness's tests ended, in one session of their own."""
    path = tmp_path_factory.mktemp("kit") / "verdicts.json"
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, f"--rootdir={BROKEN}", f"--confcutdir={BROKEN}"]
    command += [
        "--import-mode=importlib",
        "-pbroken_run",
        "-pno:cacheprovider",
        "-pno:xdist",
        "-q",
        "--tb=no",
        "-Werror",
        f"--timeout={_TEST_SECONDS}",
    ]
    command += [str(BROKEN / f"{module}.py") for module in CONTRACTS]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    # Where pytest shows differences as a whole, which a contract test must not make it do with large values.
    environment["CI"] = "true"
    # The packages are installed, as far as metadata and imports tell, also in the processes that a test starts.
    environment["PYTHONPATH"] = os.pathsep.join([str(BROKEN), str(BROKEN / "packages")])
    done = subprocess.run(
        command,
        env={**environment, "KIT_VERDICTS": str(path)},
        capture_output=True,
        text=True,
        timeout=_PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    found: list[dict[str, str]] = json.loads(path.read_text())
    return found


@pytest.mark.parametrize(("module", "plugin", "test", "error"), CLAIMS, ids=[f"{c[1]}-{c[2]}" for c in CLAIMS])
def test_a_broken_plugin_fails_its_test(
    module: str, plugin: str, test: str, error: str, verdicts: list[dict[str, str]]
) -> None:
    ended = [verdict for verdict in verdicts if (verdict["plugin"], verdict["test"]) == (plugin, test)]
    caught = [verdict for verdict in ended if verdict["outcome"] == "failed" and verdict["when"] == "call"]
    assert caught, ended
    assert any(re.search(error, verdict["error"]) for verdict in caught), caught


@pytest.mark.parametrize("plugin", ["TestNoFault", "TestNoFaultInTheTail"])
def test_a_sound_plugin_passes(plugin: str, verdicts: list[dict[str, str]]) -> None:
    ended = [verdict for verdict in verdicts if verdict["plugin"] == plugin]
    assert ended
    assert [verdict for verdict in ended if verdict["outcome"] == "failed"] == []


@pytest.mark.parametrize("module", CONTRACTS)
def test_no_contract_test_is_without_a_witness(module: str) -> None:
    witnessed = {test for name, _, test, _ in CLAIMS if name == module}
    assert sorted(set(CONTRACTS[module].catalogue()) - witnessed) == []


@pytest.mark.parametrize("module", CONTRACTS)
def test_no_witness_speaks_of_a_test_that_is_not_there(module: str) -> None:
    witnessed = {test for name, _, test, _ in CLAIMS if name == module}
    assert sorted(witnessed - set(CONTRACTS[module].catalogue())) == []
