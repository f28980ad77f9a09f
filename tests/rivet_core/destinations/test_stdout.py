"""Standard output as a destination, always in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rivet_core.destinations.stdout.destination import StdoutDestination
from rivet_core.destinations.stdout.plugin import rivet_destinations
from rivet_core.protocols import Destination

if TYPE_CHECKING:
    from pathlib import Path

PUT = """
import sys
from pathlib import Path
from rivet_core.destinations.stdout.destination import StdoutDestination
out = StdoutDestination()
try:
    print(out.put("part", Path(sys.argv[1]), create=True).size, file=sys.stderr)
    if len(sys.argv) > 2:
        out.put("part", Path(sys.argv[1]), create=True)
except Exception as error:
    print(error.code, out.verdict(error).name, file=sys.stderr)
    sys.exit(7)
"""


@pytest.fixture
def part(tmp_path: Path) -> Path:
    path = tmp_path / "part"
    path.write_bytes(bytes(range(256)) * 20_000)
    return path


@pytest.fixture(params=[1, 20_000], ids=["within Python's buffer", "beyond it"])
def any_part(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "part"
    path.write_bytes(bytes(range(256)) * request.param)
    return path


def test_it_declares_what_it_cannot_do() -> None:
    (declared,) = rivet_destinations()
    able = declared.capabilities
    assert (able.durable, able.readable, able.conditional_create, able.removable) == (False, False, False, False)
    assert declared.prefix is None
    assert isinstance(declared.factory(declared.options()), Destination)


def test_a_part_arrives_byte_by_byte(part: Path) -> None:
    found = subprocess.run([sys.executable, "-c", PUT, str(part)], capture_output=True, check=True)
    assert found.stdout == part.read_bytes()
    assert found.stderr.split() == [b"5120000"]


def test_a_reader_that_stops_early_is_named_and_nothing_else_is_printed(any_part: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-c", PUT, str(any_part)]
        found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert found.stderr.split() == [b"RIVET_DEST_IO_FAILED", b"FATAL"]
    assert found.returncode == 7


def test_a_full_device_is_named_and_nothing_else_is_printed(any_part: Path) -> None:
    command = [sys.executable, "-c", PUT, str(any_part)]
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.stderr.split() == [b"RIVET_DEST_IO_FAILED", b"FATAL"]
    assert found.returncode == 7


def test_a_second_object_is_refused(part: Path) -> None:
    found = subprocess.run([sys.executable, "-c", PUT, str(part), "twice"], capture_output=True, check=False)
    assert len(found.stdout) == 5_120_000
    assert found.stderr.split()[1:] == [b"RIVET_INTERNAL_CONTRACT", b"FATAL"]


def test_nothing_can_be_looked_at_again() -> None:
    out = StdoutDestination()
    assert (out.get("k", 1), out.stat("k"), list(out.list("")), out.staging()) == (None, None, [], None)
    assert out.uri().endswith("/")
