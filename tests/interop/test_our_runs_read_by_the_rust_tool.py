"""One file, run by both programs: the Rust tool must find nothing wrong with what ours wrote, nor ours with itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rivet_core.manifest.codec import decode
from rivet_core.manifest.model import Manifest

OURS = [sys.executable, "-m", "rivet_core"]
EXPORTS = """\
source: {type: postgres, url_env: DATABASE_URL}
exports:
  - {name: full, table: items, mode: full, format: parquet, destination: {type: local, path: out/full}}
  - name: marked
    table: items
    mode: full
    format: parquet
    compression: snappy
    meta_columns: {exported_at: true, row_hash: true}
    destination: {type: local, path: out/marked}
  - {name: query, query: "SELECT id, name FROM items WHERE id > 990", mode: full, format: parquet,
     destination: {type: local, path: out/query}}
  - {name: nothing, query: "SELECT * FROM items WHERE id < 0", mode: full, format: parquet,
     destination: {type: local, path: out/nothing}}
  - {name: skipped, query: "SELECT * FROM items WHERE id < 0", mode: full, format: parquet, skip_empty: true,
     destination: {type: local, path: out/skipped}}
"""
FILLED = ("full", "marked", "query")
NAMES = (*FILLED, "nothing")


@pytest.fixture(scope="session")
def ours(items: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What our own program wrote, twice over, one prefix an export."""
    folder = tmp_path_factory.mktemp("ours")
    (folder / "rivet.yaml").write_text(EXPORTS)
    for _ in range(2):
        done = subprocess.run(
            [*OURS, "run", "-c", "rivet.yaml"],
            cwd=folder,
            env={**os.environ, "DATABASE_URL": items},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture(scope="session")
def theirs(rust_tool: Any, items: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "rivet.yaml").write_text(EXPORTS)
    done = rust_tool.run(folder, "run", "-c", "rivet.yaml", DATABASE_URL=items)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def manifest_of(prefix: Path) -> Manifest:
    return decode((prefix / "manifest.json").read_bytes())


@pytest.mark.parametrize("depth", ["light", "sample", "full"])
@pytest.mark.parametrize("export", NAMES)
def test_the_rust_tool_finds_nothing_wrong(rust_tool: Any, ours: Path, export: str, depth: str) -> None:
    status, report = rust_tool.validate(ours / export, depth)
    assert (status, report["failures"], report["success_marker_consistent"]) == (0, [], True)


def test_we_find_nothing_wrong_either(ours: Path, items: str) -> None:
    command = [*OURS, "validate", "-c", "rivet.yaml", "--format", "json"]
    environment = {**os.environ, "DATABASE_URL": items}
    done = subprocess.run(
        command, cwd=ours.parent, env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    reports = {export["export_name"]: export["verification"] for export in json.loads(done.stdout)["exports"]}
    assert {name: report["failures"] for name, report in reports.items() if name in NAMES} == {
        name: [] for name in NAMES
    }


def test_the_rust_tool_validates_by_the_same_file(rust_tool: Any, ours: Path, items: str) -> None:
    done = rust_tool.run(ours.parent, "validate", "-c", "rivet.yaml", "--format", "json", DATABASE_URL=items)
    assert done.returncode == 0, done.stderr


# Without rows the Rust tool fingerprints no columns at all.
@pytest.mark.parametrize("export", FILLED)
def test_both_tools_give_the_relation_one_schema(ours: Path, theirs: Path, export: str) -> None:
    assert manifest_of(ours / export).schema_fingerprint == manifest_of(theirs / export).schema_fingerprint


@pytest.mark.parametrize("export", NAMES)
def test_both_tools_check_the_same_columns(ours: Path, theirs: Path, export: str) -> None:
    mine, other = manifest_of(ours / export), manifest_of(theirs / export)
    assert [name for name, _ in mine.column_checksums] == [name for name, _ in other.column_checksums]


def test_both_tools_read_the_same_values(ours: Path, theirs: Path) -> None:
    # The sums are comparable only under one key; a query has none in either tool.
    mine, other = manifest_of(ours / "query"), manifest_of(theirs / "query")
    assert (mine.checksum_key_column, other.checksum_key_column) == (None, None)
    assert mine.column_checksums == other.column_checksums


def test_an_empty_export_that_is_to_be_skipped_leaves_no_trace(ours: Path) -> None:
    assert not (ours / "skipped" / "manifest.json").exists()


def validate_theirs(folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    """What our program says of the Rust tool's prefixes, by the Rust tool's own file."""
    chosen = [word for name in NAMES for word in ("-e", name)]
    command = [*OURS, "validate", "-c", "rivet.yaml", "--format", "json", *chosen]
    environment = {**os.environ, "DATABASE_URL": url}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False
    )


def test_our_program_validates_by_the_rust_tools_file(theirs: Path, items: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(theirs.parent, tmp_path / "copy"))
    done = validate_theirs(folder, items)
    assert (done.returncode, done.stderr) == (0, "")


def test_our_program_ends_with_3_over_one_flipped_byte(theirs: Path, items: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(theirs.parent, tmp_path / "copy"))
    path = next((folder / "out" / "full").glob("*.parquet"))
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert validate_theirs(folder, items).returncode == 3
