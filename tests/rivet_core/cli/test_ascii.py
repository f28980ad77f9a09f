"""A locale of plain ASCII: names and paths that it cannot show are escaped, and no command fails for them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Ended, Rivet

# Each case is a process.
pytestmark = pytest.mark.slow

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
CONFIG = """\
source: {type: sqlite, path: shop.db}
exports:
  - name: odd
    table: '"tärif€"'
    mode: full
    format: parquet
    quality: {null_ratio_max: {nämé→: 0.5}}
    destination: {type: local, path: out/odd}
"""
COMMANDS = (
    ("check", "--type-report"),
    ("check", "--json"),
    ("doctor",),
    ("run",),
    ("run", "--json"),
    ("run", "--json-errors"),
    ("run", "--summary-output", "sümmary.json"),
    ("validate",),
    ("validate", "--json", "-o", "fünd.json"),
    ("state", "show"),
    ("state", "runs"),
    ("state", "files"),
)


@pytest.fixture
def odd(shop: Path) -> Path:
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute('CREATE TABLE "tärif€" (id INTEGER, "nämé→" NUMERIC)')
        connection.execute('INSERT INTO "tärif€" VALUES (1, NULL), (2, NULL), (3, 1)')
    (shop / "rivét.yaml").write_text(CONFIG, encoding="utf-8")
    return shop


def without_a_fault(done: Ended) -> bool:
    said = done.out + done.err
    return done.code != 6 and "Traceback" not in said and "UnicodeEncodeError" not in said and said.isascii()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_fails_for_a_name_that_cannot_be_shown(spawn: Rivet, odd: Path, command: tuple[str, ...]) -> None:
    del odd
    done = spawn(*command, "-c", "rivét.yaml", **ASCII)
    assert without_a_fault(done), done
    assert done.code == {"run": 3, "validate": 1}.get(command[0], 0)
    if "--json" in command and "-o" not in command:
        assert done.json()
    if "--json-errors" in command:
        assert "nämé→" in done.error()["error"]


@pytest.mark.parametrize("command", [("run",), ("check",), ("state", "show")], ids=" ".join)
def test_the_name_of_an_export_is_read_as_utf8(spawn: Rivet, odd: Path, command: tuple[str, ...]) -> None:
    del odd
    done = spawn(*command, "-c", "rivét.yaml", "-e", "ü€", "--json-errors", **ASCII)
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_EXPORT_UNKNOWN")
    assert "'ü€'" in done.error()["error"]


def test_the_name_of_an_export_that_is_no_utf8_is_refused(spawn: Rivet, odd: Path) -> None:
    del odd
    done = spawn("run", "-c", "rivét.yaml", "-e", "\udcfc", "--json-errors", **ASCII)
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_VALUE_INVALID")
    assert "\\udcfc" not in done.error()["error"]


def test_the_reports_of_a_run_are_whole(spawn: Rivet, odd: Path) -> None:
    assert spawn("run", "-c", "rivét.yaml", "--summary-output", "sümmary.json", **ASCII).code == 3
    (report,) = odd.glob(".rivet/runs/*/summary.json")
    assert json.loads(report.read_text(encoding="utf-8"))["gates"]
    assert "nämé→" in (odd / "sümmary.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--source", "sqlite:///shop.db"), 0),
        (("--source", "sqlite:///shop.db", "--table", '"tärif€"'), 0),
        (("--source", "sqlite:///shöp.db"), None),
        (("--source", "sqlite:///shop.db", "--destination", "öut"), 1),
        (("--source", "sqlite:///shop.db", "-o", "nöw.yaml"), 0),
    ],
)
def test_init_fails_for_no_name_either(spawn: Rivet, odd: Path, options: tuple[str, ...], code: int | None) -> None:
    (odd / "rivet.yaml").unlink()
    done = spawn("init", *options, **ASCII)
    assert without_a_fault(done), done
    assert code is None or done.code == code


def test_the_progress_display_fails_for_none(odd: Path) -> None:
    import pty

    terminal, other = pty.openpty()
    command = [sys.executable, "-m", "rivet_core", "run", "-c", "rivét.yaml"]
    with subprocess.Popen(command, cwd=odd, env={**os.environ, **ASCII, "TERM": "xterm"}, stderr=other) as process:
        os.close(other)
        shown = b""
        while True:
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            shown += more
            if not more:
                break
        os.close(terminal)
        assert process.wait(60) == 3
    assert shown.isascii()
    assert b"Traceback" not in shown
