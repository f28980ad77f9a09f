"""Arguments, variables and locales that are not those of a usual shell; the source is a file of SQLite."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

# Each case is a process, or many files: not for the inner loop.
pytestmark = pytest.mark.slow

FILE = """
source: {type: sqlite, path: "%s"}
exports:
  - {name: "%s", query: "select '%s' as a", format: csv, destination: {type: local, path: "%s"}}
"""
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
UNREADABLE = b"\xff\xfe"


def rivet(folder: Path, *arguments: str | bytes, **variables: str | bytes) -> subprocess.CompletedProcess[bytes]:
    kept = {name: text for name, text in os.environb.items() if not name.startswith((b"RIVET_", b"PYTHON", b"LC_"))}
    given = {os.fsencode(name): os.fsencode(value) for name, value in variables.items()}
    return subprocess.run(
        [sys.executable, "-m", "rivet_core", *arguments], cwd=folder, env=kept | given, capture_output=True, check=False
    )


def write(folder: Path, *, database: str = "a.db", name: str = "x", text: str = "y", out: str = "out") -> None:
    sqlite3.connect(folder / database).close()
    (folder / "rivet.yaml").write_text(FILE % (database, name, text, out), encoding="utf-8")


def delivered(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.csv"))]


def test_a_param_that_is_no_text_is_a_mistake_of_the_command_line(tmp_path: Path) -> None:
    write(tmp_path, text="${X}")
    done = rivet(tmp_path, "run", "-c", "rivet.yaml", "-p", b"X=" + UNREADABLE)
    assert (done.returncode, b"RIVET_CLI_VALUE_INVALID" in done.stderr) == (1, True), done.stderr
    assert not (tmp_path / ".rivet-state.sqlite").exists()


@pytest.mark.parametrize("hole", ["text", "out", "name", "database"])
def test_a_variable_that_is_no_text_is_refused_at_its_line(tmp_path: Path, hole: str) -> None:
    (tmp_path / "a.db").touch()
    given = {"database": "a.db", "name": "x", "text": "y", "out": "out", hole: "${X}"}
    (tmp_path / "rivet.yaml").write_text(FILE % tuple(given.values()))
    done = rivet(tmp_path, "run", "-c", "rivet.yaml", X=UNREADABLE)
    assert (done.returncode, b"RIVET_CONFIG_SECRET_UNSET" in done.stderr) == (1, True), done.stderr
    assert b"rivet.yaml:" in done.stderr
    assert not (tmp_path / ".rivet-state.sqlite").exists()


def test_text_of_other_letters_is_read_in_a_locale_of_ascii(tmp_path: Path) -> None:
    write(tmp_path, text="größe €")
    done = rivet(tmp_path, "run", "-c", "rivet.yaml", **ASCII)
    assert done.returncode == 0, done.stderr
    assert delivered(tmp_path) == ["a\ngröße €\n"]


@pytest.mark.parametrize("way", ["variable", "param"])
def test_values_of_other_letters_are_read_in_a_locale_of_ascii(tmp_path: Path, way: str) -> None:
    write(tmp_path, text="${X}")
    given = ["-p", "X=größe"] if way == "param" else []
    done = rivet(tmp_path, "run", "-c", "rivet.yaml", *given, **ASCII, X="größe")
    assert done.returncode == 0, done.stderr
    assert delivered(tmp_path) == ["a\ngröße\n"]


@pytest.mark.parametrize("hole", ["out", "name", "database"])
def test_a_name_without_letters_in_the_locale_is_refused_at_its_line(tmp_path: Path, hole: str) -> None:
    write(tmp_path, **{hole: "größe"})
    done = rivet(tmp_path, "run", "-c", "rivet.yaml", **ASCII)
    assert done.returncode == 1, done.stderr
    assert b"rivet.yaml:" in done.stderr
    assert b"LC_ALL=C.UTF-8" in done.stderr
    assert not (tmp_path / ".rivet-state.sqlite").exists()


def test_a_folder_of_other_letters_is_no_matter_in_a_locale_of_ascii(tmp_path: Path) -> None:
    folder = tmp_path / "größe"
    folder.mkdir()
    write(folder)
    for command in (
        ("run", "--summary-output", "s.json"),
        ("run", "--json"),
        ("check",),
        ("doctor",),
        ("state", "runs"),
    ):
        done = rivet(folder, *command, "-c", "rivet.yaml", **ASCII)
        assert done.returncode == 0, (command, done.stderr)
