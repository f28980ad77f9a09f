from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rivet_core.engine.validation import validate
from rivet_core.engine.validation_mode import prefix_mode
from rivet_core.errors import Exit
from rivet_core.manifest.model import Mode
from rivet_core.manifest.report import Depth, FailureKind
from rivet_core.protocols import ReadableFormat

ReaderOf = Callable[[str], ReadableFormat | None]


@pytest.mark.parametrize("depth", Depth)
def test_what_was_written_passes(local: Any, reader_of: ReaderOf, depth: Depth) -> None:
    local.write("r1")
    local.write("r2")
    report = validate(local.store, depth=depth, reader_of=reader_of)
    assert (report.passed, report.failures) == (True, ())


def test_one_flipped_byte_is_found(local: Any, reader_of: ReaderOf, tmp_path: Path) -> None:
    local.write()
    path = tmp_path / "prefix" / "r1_0.parquet"
    data = bytearray(path.read_bytes())
    data[30] ^= 1
    path.write_bytes(data)
    report = validate(local.store, depth=Depth.FULL, reader_of=reader_of)
    assert (report.exit, [failure.kind for failure in report.failures]) == (
        Exit.INTEGRITY,
        [FailureKind.PART_CHECKSUM],
    )


def test_the_files_are_left_as_they_were(local: Any, reader_of: ReaderOf, tmp_path: Path) -> None:
    local.write()
    prefix = tmp_path / "prefix"
    before = {path: path.stat().st_mtime_ns for path in prefix.rglob("*")}
    validate(local.store, depth=Depth.FULL, reader_of=reader_of)
    assert {path: path.stat().st_mtime_ns for path in prefix.rglob("*")} == before


def test_an_absent_folder_holds_no_dataset(local: Any, reader_of: ReaderOf) -> None:
    report = validate(local.store, depth=Depth.FULL, reader_of=reader_of)
    assert (report.exit, report.legacy_run, prefix_mode(local.store)) == (Exit.USAGE, True, None)


def test_a_dataset_below_is_its_own(local: Any, reader_of: ReaderOf) -> None:
    local.write(prefix="t/", mode=Mode.CDC)
    assert validate(local.store, depth=Depth.FULL, reader_of=reader_of, prefix="t/").passed
    assert (prefix_mode(local.store), prefix_mode(local.store, "t/")) == (None, Mode.CDC)
