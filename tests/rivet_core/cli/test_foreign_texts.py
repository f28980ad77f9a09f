"""What a driver says is redacted, whatever the password is; what rivet says by itself is not, even if it is one."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rivet_core.errors import EnvironmentFailure
from rivet_core.sources.sqlite.source import SqliteSource
from rivet_core.types import Secret, Verdict

if TYPE_CHECKING:
    from conftest import Ended, Rivet

# Each case is whole runs.
pytestmark = pytest.mark.slow

#: Words that stand in reports, commands, dates, paths and keys of ours.
WORDS = ("success", "orders", "1", "20", "lim", "rivet", "run", "status", "e", "*", "parquet", "out", "-", ".", "open")
LIMITED = """\
source: {type: sqlite, path: shop.db}
exports:
  - {name: orders, table: orders, mode: full, format: parquet, destination: {type: local, path: out/orders}}
"""
COMMANDS = (
    ("run", "-c", "lim.yaml"),
    ("run", "-c", "lim.yaml", "--json", "--summary-output", "summary.json"),
    ("run", "-c", "lim.yaml", "--validate"),
    ("check", "-c", "lim.yaml"),
    ("check", "-c", "lim.yaml", "--json"),
    ("validate", "-c", "lim.yaml"),
    ("validate", "-c", "lim.yaml", "--json"),
    ("doctor", "-c", "lim.yaml"),
    ("state", "show", "-c", "lim.yaml"),
    ("state", "runs", "-c", "lim.yaml", "--json"),
    ("state", "files", "-c", "lim.yaml"),
    ("plugins", "--json"),
)


@pytest.fixture
def limited(shop: Path) -> Path:
    (shop / "lim.yaml").write_text(LIMITED)
    return shop


@pytest.mark.parametrize("word", WORDS)
def test_nothing_of_our_own_is_masked_where_the_password_is_a_word_of_ours(
    rivet: Rivet, limited: Path, word: str
) -> None:
    Secret(word)
    said = ""
    for command in COMMANDS:
        done = rivet(*command)
        assert done.code == 0, done.err
        said += done.out + done.err
    # No text of ours has a star of its own.
    assert "*" not in said
    reports = [*limited.glob(".rivet/runs/*/*"), limited / "summary.json"]
    assert len(reports) > 2
    assert [path.name for path in reports if "*" in path.read_text()] == []


@pytest.mark.parametrize("word", WORDS)
def test_the_log_keeps_names_and_numbers(rivet: Rivet, limited: Path, word: str) -> None:
    Secret(word)
    line = next(line for line in rivet("run", "-c", "lim.yaml", RIVET_LOG="info").err.splitlines() if "sealed" in line)
    assert re.search(r"event='run_sealed' export='orders' run_id='orders_20[^*]*' roll=0 [^*]* rows=1000", line)


@pytest.mark.parametrize("word", ["orders", "1", "lim"])
def test_an_error_of_our_own_keeps_its_names(rivet: Rivet, limited: Path, word: str) -> None:
    Secret(word)
    (limited / "orders").write_text("")
    (limited / "lim.yaml").write_text(LIMITED.replace("out/orders", "orders"))
    assert rivet("run", "-c", "lim.yaml", "--json-errors").code != 0
    done = rivet("run", "-c", "lim.yaml", "-e", "order", "--json-errors")
    assert (done.code, "*" in done.err) == (1, False)


class DriverFailed(Exception):
    """An error of a driver that nobody knows."""


def named(text: str) -> Exception:
    return EnvironmentFailure(text, code="RIVET_SOURCE_CONNECT_FAILED", remedy=text)


PASSWORDS = ("x", "4711", "a longer one", "%41'\"", "*")
ERRORS: dict[str, Callable[[str], Exception]] = {
    "of a driver": DriverFailed,
    "of the system": OSError,
    "a bug": KeyError,
    "of a plugin": named,
}


@pytest.mark.parametrize("asked", ["check", "identity", "describe", "read", "count", "verdict"])
@pytest.mark.parametrize(
    ("error", "wanted"), [(error, Verdict.FATAL) for error in ERRORS.values()] + [(DriverFailed, Verdict.RETRY)]
)
def test_a_password_leaks_through_no_foreign_text(
    rivet: Rivet,
    limited: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Callable[[str], Exception],
    asked: str,
    wanted: Verdict,
) -> None:
    for word in PASSWORDS:
        Secret(word)
    (limited / "lim.yaml").write_text(
        LIMITED.replace("shop.db", "shop.db, tuning: {max_retries: 1, retry_backoff_ms: 1}")
    )

    def fails(*_: Any, **__: Any) -> Any:
        msg = f"the driver says {' and '.join(map(marked, PASSWORDS))}, twice: {marked(PASSWORDS[0])}"
        raise error(msg)

    monkeypatch.setattr(SqliteSource, "verdict", lambda *_: wanted)
    monkeypatch.setattr(SqliteSource, asked, fails)
    if asked == "verdict":
        monkeypatch.setattr(SqliteSource, "read", fails)
    variables = {"RIVET_DEBUG": "1", "RIVET_LOG": "debug", "RIVET_TRACE_PLUGINS": "1"}
    ended = [
        rivet("run", "-c", "lim.yaml", "--reconcile", "--json-errors", **variables),
        rivet("run", "-c", "lim.yaml", "--summary-output", "summary.json", **variables),
        rivet("check", "-c", "lim.yaml", **variables),
        rivet("doctor", "-c", "lim.yaml", "--json", **variables),
        rivet("state", "runs", "-c", "lim.yaml", "--json"),
        rivet("init", "--source", "sqlite:///shop.db", "-o", "new.yaml", "--force", **variables),
    ]
    assert any("the driver says" in done.out + done.err for done in ended)
    assert leaks(limited, ended) == []


def marked(word: str) -> str:
    return f"[[{word}]]"


def leaks(folder: Path, ended: list[Ended]) -> list[str]:
    forms = {
        form
        for text in map(marked, PASSWORDS)
        for form in (text, json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1], repr(repr(text))[2:-2])
    }
    texts = {f"command {number}": done.out + done.err for number, done in enumerate(ended)}
    for path in folder.rglob("*"):
        if path.is_file():
            with contextlib.suppress(UnicodeDecodeError):
                texts[path.name] = path.read_bytes().decode("utf-8", "replace")
    return [
        f"{where}: {line.strip()}"
        for where, text in texts.items()
        for line in text.splitlines()
        if any(form in line for form in forms) and not re.search(r"raise error\(|^\s*DriverFailed = ", line)
    ]
