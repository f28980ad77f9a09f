"""What the Rust tool really wrote must pass in ours, and damage to it must not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from rivet_core.engine.validation import validate
from rivet_core.engine.validation_mode import prefix_mode
from rivet_core.engine.validation_readers import readers_of
from rivet_core.errors import Exit
from rivet_core.manifest.codec import decode, encode
from rivet_core.manifest.marker import encode_marker
from rivet_core.manifest.model import Manifest, Mode
from rivet_core.manifest.report import Depth, FailureKind, Verification
from rivet_core.plugins import Plugins
from rivet_core.protocols import Destination

TYPED = ("full", "incremental", "chunked", "keyset", "window")
EVERY = (*TYPED, "nothing", "text")
PLUGINS = Plugins.installed({})


def destination(prefix: Path) -> Destination:
    declared = PLUGINS.destination_type("local")
    return declared.factory(declared.options(path=prefix))


def check(prefix: Path, depth: Depth = Depth.FULL, **options: Any) -> Verification:
    return validate(destination(prefix), depth=depth, reader_of=readers_of(PLUGINS), **options)


def manifest_of(prefix: Path) -> Manifest:
    return decode((prefix / "manifest.json").read_bytes())


def replace_manifest(prefix: Path, manifest: Manifest) -> None:
    data = encode(manifest)
    (prefix / "manifest.json").write_bytes(data)
    (prefix / "_SUCCESS").write_bytes(encode_marker(data))


def kinds(report: Verification) -> set[FailureKind]:
    return {failure.kind for failure in report.failures}


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize("export", [*TYPED, "nothing"])
def test_every_export_passes(exported: Path, export: str, depth: Depth) -> None:
    report = check(exported / export, depth)
    assert (report.exit, report.failures, report.success_marker_consistent) == (Exit.DONE, (), True)


@pytest.mark.parametrize("depth", [Depth.LIGHT, Depth.SAMPLE])
def test_a_text_export_passes(exported: Path, depth: Depth) -> None:
    assert check(exported / "text", depth).failures == ()


def test_the_rows_of_a_text_export_are_counted_where_its_format_is_readable(exported: Path) -> None:
    readable = readers_of(PLUGINS)("csv") is not None
    report = check(exported / "text")
    assert (report.passed, kinds(report)) == (True, set() if readable else {FailureKind.NO_READER})


@pytest.mark.parametrize("export", EVERY)
def test_a_manifest_is_written_again_byte_for_byte(exported: Path, export: str) -> None:
    data = (exported / export / "manifest.json").read_bytes()
    assert encode(decode(data)) == data


@pytest.mark.parametrize("export", TYPED)
def test_each_column_of_each_export_is_recomputed(copy_of: Callable[[str], Path], export: str) -> None:
    prefix = copy_of(export)
    manifest = manifest_of(prefix)
    wrong = tuple((name, value ^ 1) for name, value in manifest.column_checksums)
    assert len(wrong) == 18
    replace_manifest(prefix, attrs.evolve(manifest, column_checksums=wrong))
    found = [dict(failure.facts)["column"] for failure in check(prefix).failures]
    assert found == [name for name, _ in wrong]


@pytest.mark.parametrize("export", TYPED)
def test_a_run_is_found_by_its_id(exported: Path, export: str) -> None:
    assert check(exported / export, run_id=manifest_of(exported / export).run_id).failures == ()


@pytest.mark.parametrize("export", ["keyset", "text"])
def test_one_flipped_byte_is_found(copy_of: Callable[[str], Path], export: str) -> None:
    prefix = copy_of(export)
    path = prefix / manifest_of(prefix).parts[0].path
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert check(prefix, Depth.SAMPLE).passed
    assert (check(prefix).exit, kinds(check(prefix)) - {FailureKind.NO_READER}) == (
        Exit.INTEGRITY,
        {FailureKind.PART_CHECKSUM},
    )


def test_rows_are_counted_again(copy_of: Callable[[str], Path]) -> None:
    prefix = copy_of("keyset")
    manifest = manifest_of(prefix)
    first, *rest = manifest.parts
    parts = (attrs.evolve(first, rows=first.rows + 1), *rest)
    replace_manifest(prefix, attrs.evolve(manifest, parts=parts, row_count=manifest.row_count + 1))
    assert kinds(check(prefix)) == {FailureKind.PART_ROWS}


def test_a_missing_part_is_found(copy_of: Callable[[str], Path]) -> None:
    prefix = copy_of("keyset")
    (prefix / manifest_of(prefix).parts[1].path).unlink()
    assert kinds(check(prefix, Depth.SAMPLE)) == {FailureKind.PART_MISSING}


def test_a_changed_manifest_is_found(copy_of: Callable[[str], Path]) -> None:
    prefix = copy_of("full")
    path = prefix / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"batch"', b'"cdc"'))
    assert kinds(check(prefix, Depth.LIGHT)) == {FailureKind.MARKER_STALE}


@pytest.mark.parametrize("depth", Depth)
@pytest.mark.parametrize("export", TYPED)
def test_both_tools_give_one_report(exported: Path, rust_tool: Any, export: str, depth: Depth) -> None:
    status, theirs = rust_tool.validate(exported / export, depth.value)
    ours = check(exported / export, depth)
    assert (ours.exit, ours.to_json()) == (status, theirs)


def test_both_tools_name_a_missing_part_alike(copy_of: Callable[[str], Path], rust_tool: Any) -> None:
    prefix = copy_of("full")
    (prefix / manifest_of(prefix).parts[0].path).unlink()
    status, theirs = rust_tool.validate(prefix, "sample")
    ours = check(prefix, Depth.SAMPLE)
    (failure,) = ours.to_json()["failures"]
    del failure["detail"]
    assert (ours.exit, [failure]) == (status, theirs["failures"])


def test_the_mode_of_its_prefix_is_known(exported: Path) -> None:
    assert prefix_mode(destination(exported / "full")) is Mode.BATCH


def test_its_json_has_no_field_that_we_lose(exported: Path) -> None:
    data = (exported / "incremental" / "manifest.json").read_bytes()
    assert json.loads(encode(decode(data))) == json.loads(data)
