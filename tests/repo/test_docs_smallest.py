"""The documentation's smallest plugin, used as a stranger would: found by its metadata, run, killed, tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import duckdb
import pytest

PLUGIN = Path(__file__).parents[2] / "docs" / "plugins" / "smallest"
pytestmark = pytest.mark.slow
RIVET = Path(sys.executable).with_name("rivet")
#: Reads are 16 MiB a batch, and a mark stands behind each, so these are several parts.
LINES = tuple(f"{number:08d} " + "x" * 8000 for number in range(7000))

CONFIGURATION = """
source:
  type: lines
  folder: logs
exports:
  - name: access
    table: '"access.log"'
    format: parquet
    max_file_size: 16MB
    destination:
      type: local
      path: out
"""
#: An observer whose process dies once the second part is recorded.
KILLER = """
import os, signal
from rivet_core.events import PartRecorded
from rivet_core.hookspecs import hookimpl

seen = []

@hookimpl
def rivet_on_event(event):
    if isinstance(event, PartRecorded):
        seen.append(event)
        if len(seen) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def install(site: Path, name: str, version: str, entries: dict[str, str]) -> None:
    """Write what an installer would write of a distribution whose modules are found elsewhere."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{entry} = {module}" for entry, module in entries.items()]
    (folder / "entry_points.txt").write_text("\n".join(["[rivet]", *lines, ""]))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    install(tmp_path / "site", project["name"], project["version"], project["entry-points"]["rivet"])
    path = os.pathsep.join([str(tmp_path / "site"), str(PLUGIN / "src")])
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "logs").mkdir(parents=True)
    (folder / "logs" / "access.log").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")
    (folder / "rivet.yaml").write_text(CONFIGURATION, encoding="utf-8")
    return folder


def rivet(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(RIVET), *arguments, "-c", "rivet.yaml"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out" / "manifest.json").read_text(encoding="utf-8"))
    return found


def delivered(folder: Path) -> list[str]:
    paths = [str(folder / "out" / part["path"]) for part in manifest(folder)["parts"]]
    with duckdb.connect() as connection:
        return [row[0] for row in connection.execute("SELECT line FROM read_parquet(?)", [paths]).fetchall()]


def test_every_line_is_exported_once_and_verified(folder: Path, environment: dict[str, str]) -> None:
    done = rivet(folder, environment, "run")
    assert done.returncode == 0, done.stderr
    assert sorted(delivered(folder)) == list(LINES)
    verified = rivet(folder, environment, "validate")
    assert verified.returncode == 0, verified.stderr


def test_a_killed_export_is_resumed_behind_its_last_part(
    folder: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    install(tmp_path / "killer", "rivet-observer-killer", "1.0", {"observer.killer": "killer"})
    (tmp_path / "killer" / "killer.py").write_text(KILLER)
    deadly = {**environment, "PYTHONPATH": os.pathsep.join([str(tmp_path / "killer"), environment["PYTHONPATH"]])}
    assert rivet(folder, deadly, "run").returncode == -9
    done = rivet(folder, environment, "run")
    assert done.returncode == 0, done.stderr
    attempts = [part["path"].rpartition("_a")[2][:1] for part in manifest(folder)["parts"]]
    assert attempts[:2] == ["1", "1"]
    assert set(attempts[2:]) == {"2"}
    assert sorted(delivered(folder)) == list(LINES)


def test_its_own_test_module_passes(environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    command += [f"--rootdir={PLUGIN}", f"--basetemp={tmp_path / 'kit'}", str(PLUGIN / "tests")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "source.lines: " in done.stdout
