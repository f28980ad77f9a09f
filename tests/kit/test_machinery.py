"""Waivers, refusals, skips and the summary, each in a session of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rivet_core.testing import DestinationContract

pytestmark = pytest.mark.slow

HEAD = """
from __future__ import annotations
import pytest
from rivet_core.capabilities import DestinationCapabilities
from rivet_core.testing import DestinationContract, MemoryDestination, MemoryOptions, MemoryStore, memory_type

class Memory(DestinationContract):
    declaration = memory_type(DestinationCapabilities())
    listing_page = 10

    @pytest.fixture
    def options(self):
        return MemoryOptions(store=MemoryStore(), capabilities=DestinationCapabilities())

class Deaf(MemoryDestination):
    def verdict(self, error):
        return None
"""


def run(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(HEAD + text)
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, f"--rootdir={folder}", "-p", "no:cacheprovider", "-rA"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [*command, *arguments, str(folder)], capture_output=True, text=True, cwd=folder, env=environment, check=False
    )


def test_a_plugin_has_one_line_in_the_summary(tmp_path: Path) -> None:
    done = run(tmp_path, "class TestMemory(Memory): pass")
    assert done.returncode == 0, done.stdout
    assert re.search(
        r"^destination\.memory: \d\d passed, 0 waived, 4 skipped for capability$", done.stdout, re.MULTILINE
    )


def test_the_summary_is_the_same_when_workers_share_the_tests(tmp_path: Path) -> None:
    done = run(tmp_path, "class TestMemory(Memory): pass", "-n2")
    assert done.returncode == 0, done.stdout
    assert re.search(
        r"^destination\.memory: \d\d passed, 0 waived, 4 skipped for capability$", done.stdout, re.MULTILINE
    )


WAIVED = """
class TestDeaf(Memory):
    waived = {"test_an_unknown_error_is_fatal": "it does not listen"}

    @pytest.fixture
    def destination(self, options):
        return %s(options)
"""


def test_a_waiver_is_an_expected_failure_with_its_reason(tmp_path: Path) -> None:
    done = run(tmp_path, WAIVED % "Deaf", "-k", "unknown_error")
    assert done.returncode == 0, done.stdout
    assert "test_an_unknown_error_is_fatal - it does not listen" in done.stdout
    assert "destination.memory: 0 passed, 1 waived" in done.stdout


def test_a_waiver_does_not_outlive_its_cause(tmp_path: Path) -> None:
    done = run(tmp_path, WAIVED % "MemoryDestination", "-k", "unknown_error")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "[XPASS(strict)] it does not listen" in done.stdout


def test_a_waiver_of_a_skipped_test_is_a_failure(tmp_path: Path) -> None:
    done = run(
        tmp_path, "class TestIt(Memory):\n    waived = {'test_a_receipts_digest_agrees': 'no reason'}", "-k", "digest"
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "waives nothing" in done.stdout


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ({"waived": {"test_rename": "why"}}, "TestIt waives test_rename, which its contract does not have"),
        ({"waived": {"test_a_move_moves": " "}}, "TestIt waives test_a_move_moves without a reason"),
        ({"test_a_move_moves": lambda self: None}, "TestIt overrides test_a_move_moves"),
        ({"test_a_move_moves": None}, "TestIt overrides test_a_move_moves"),
        ({"write_file": None}, "TestIt overrides write_file"),
        ({"gives": frozenset({"test_a_move_moves"})}, "TestIt overrides gives"),
        ({"requirements": {}}, "TestIt overrides requirements"),
    ],
)
def test_what_belongs_to_the_contract_is_refused(contents: dict[str, object], complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        type("TestIt", (DestinationContract,), contents)


def test_a_mixin_cannot_override_a_contract_test_either() -> None:
    mixin = type("Mixin", (), {"test_a_move_moves": lambda self: None})
    with pytest.raises(TypeError, match="TestIt overrides test_a_move_moves"):
        type("TestIt", (mixin, DestinationContract), {})


def test_a_refusal_stops_the_collection(tmp_path: Path) -> None:
    done = run(tmp_path, "class TestIt(Memory):\n    def test_a_move_moves(self): pass")
    assert done.returncode == pytest.ExitCode.INTERRUPTED
    assert "TestIt overrides test_a_move_moves" in done.stdout


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("@pytest.mark.skip(reason='later')\nclass TestIt(Memory): pass", "was for another reason: later"),
        ("@pytest.mark.xfail(reason='later')\nclass TestIt(Memory): pass", "belongs into `waived`"),
        (
            "class TestIt(Memory):\n    @pytest.fixture\n    def destination(self): pytest.skip('no server today')",
            "was for another reason: no server today",
        ),
    ],
)
def test_a_skip_for_another_reason_is_a_failure(tmp_path: Path, text: str, complaint: str) -> None:
    done = run(tmp_path, text, "-k", "test_an_absent_object_is_none or test_it_has_the_methods")
    assert complaint in done.stdout, done.stdout


def test_a_missing_server_is_counted_and_seen(tmp_path: Path) -> None:
    text = "class TestIt(Memory):\n    @pytest.fixture\n    def destination(self): pytest.skip('missing server: S3')"
    done = run(tmp_path, text, "-k", "test_an_absent_object_is_none")
    assert done.returncode == 0
    assert "0 skipped for capability, 1 NOT RUN (missing server)" in done.stdout


def test_what_an_author_has_to_give_is_named(tmp_path: Path) -> None:
    done = run(tmp_path, "class TestIt(DestinationContract): pass", "-k", "test_an_absent_object_is_none")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "needs the fixture `destination`, or `options` and `declaration`" in done.stdout


def test_a_destination_fixture_alone_is_enough(tmp_path: Path) -> None:
    text = """
class TestIt(DestinationContract):
    listing_page = 10

    @pytest.fixture
    def destination(self):
        return MemoryDestination(MemoryOptions(store=MemoryStore()))
"""
    done = run(tmp_path, text)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^TestIt: \d\d passed, 0 waived, 7 skipped for capability$", done.stdout, re.MULTILINE)


def test_pytest_pays_for_nothing_but_pytest() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import rivet_core.testing.plugin;"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["rivet_core", "rivet_core.testing", "rivet_core.testing.plugin"]
