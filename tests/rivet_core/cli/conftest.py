"""The command as its users call it: in a process of its own, or in this one where only its words matter."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import attrs
import pyarrow.parquet as pq
import pytest
import structlog

from rivet_core.cli.ending import end
from rivet_core.sources.sqlite.source import SqliteSource

CONFIG = """\
source:
  type: sqlite
  path: shop.db
exports:
  - name: orders
    table: orders
    mode: full
    format: parquet
    destination: {type: local, path: out/orders}
  - name: customers
    table: customers
    mode: full
    format: parquet
    destination: {type: local, path: out/customers}
"""


@attrs.frozen
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        """The object of ``--json-errors``: the last line of standard error."""
        found: dict[str, Any] = json.loads(self.err.splitlines()[-1])
        return found


class Rivet(Protocol):
    def __call__(self, *arguments: str, **variables: str) -> Ended: ...


def make_shop(folder: Path, orders: int = 1000) -> Path:
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount REAL)")
        connection.execute(
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) "
            "INSERT INTO orders SELECT n, 'order ' || n, n * 1.5 FROM c",
            (orders,),
        )
        connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO customers VALUES (1, 'Ada'), (2, 'Brendan')")
    (folder / "rivet.yaml").write_text(CONFIG)
    return folder


def environment(variables: dict[str, str]) -> dict[str, str]:
    """This process's environment without what would change the command's mind."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("RIVET_", "NO_COLOR"))}
    return kept | variables


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a database of two tables and a configuration of two exports."""
    return make_shop(tmp_path)


@pytest.fixture
def start(shop: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts the command in a process of its own, in the shop's folder."""

    def start(*arguments: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "rivet_core", *arguments],
            cwd=shop,
            env=environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def spawn(start: Callable[..., subprocess.Popen[str]]) -> Rivet:
    """Runs the command to its end in a process of its own."""

    def spawn(*arguments: str, **variables: str) -> Ended:
        with start(*arguments, **variables) as process:
            out, err = process.communicate(timeout=60)
        return Ended(process.returncode, out, err)

    return spawn


@pytest.fixture
def rivet(shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Rivet]:
    """Runs the command in this process, in the shop's folder: as the real one, without its start-up time."""
    monkeypatch.chdir(shop)
    for name in tuple(os.environ):
        if name.startswith(("RIVET_", "NO_COLOR")):
            monkeypatch.delenv(name)

    def rivet(*arguments: str, **variables: str) -> Ended:
        with monkeypatch.context() as patch:
            for name, text in variables.items():
                patch.setenv(name, text)
            capsys.readouterr()
            code = end(arguments)
            captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    yield rivet
    structlog.reset_defaults()


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Lets a question to SQLite wait until it is cancelled, as those to a server may."""

    def silence(question: str) -> None:
        cancelled = threading.Event()

        def waiting(source: SqliteSource, *arguments: object) -> None:
            del source, arguments
            cancelled.wait(60)
            msg = "cancelled"
            raise LookupError(msg)

        monkeypatch.setattr(SqliteSource, question, waiting)
        monkeypatch.setattr(SqliteSource, "cancel", lambda _: cancelled.set())

    return silence


@pytest.fixture
def configure(shop: Path) -> Callable[[str], None]:
    """Writes another configuration."""

    def configure(text: str) -> None:
        (shop / "rivet.yaml").write_text(text)

    return configure


@pytest.fixture
def rows(shop: Path) -> Callable[[str], int]:
    """Counts the rows that the manifest of an export vouches for, in the parts that it names."""

    def rows(prefix: str) -> int:
        folder = shop / prefix
        manifest = json.loads((folder / "manifest.json").read_text())
        return sum(pq.read_metadata(folder / part["path"]).num_rows for part in manifest["parts"])

    return rows
