"""What went wrong is said once, and with ``-q`` only as the error that it is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from rivet_core.sources.sqlite.source import SqliteSource

if TYPE_CHECKING:
    from conftest import Rivet

SAID = "the disk is on fire"


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, shop: Path, configure: Callable[[str], None]) -> None:
    """The source's reads fail."""

    def fails(*_: Any, **__: Any) -> Any:
        raise sqlite3.OperationalError(SAID)

    text = (shop / "rivet.yaml").read_text()
    configure(text.replace("path: shop.db", "path: shop.db\n  tuning: {max_retries: 1, retry_backoff_ms: 1}"))
    monkeypatch.setattr(SqliteSource, "read", fails)


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_a_failure_is_said_once(rivet: Rivet, failing: None, quiet: tuple[str, ...]) -> None:
    del failing
    done = rivet(*quiet, "run", "-c", "rivet.yaml", "-e", "orders")
    assert done.code != 0
    assert [line for line in done.err.splitlines() if SAID in line and "attempt 1 failed" not in line] == [
        line for line in done.err.splitlines() if line.startswith("Error:")
    ]
    assert "level=" not in done.err


def test_quiet_leaves_nothing_but_the_error(rivet: Rivet, failing: None) -> None:
    del failing
    lines = rivet("-q", "run", "-c", "rivet.yaml", "-e", "orders").err.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["Error:"]


def test_an_exception_without_a_name_is_said_once_and_debug_tells_where_it_came_from(
    rivet: Rivet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def describes(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError(SAID)

    monkeypatch.setattr(SqliteSource, "describe", describes)
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, done.err.count(SAID)) == (6, 1)
    traced = rivet("run", "-c", "rivet.yaml", "-e", "orders", RIVET_DEBUG="1")
    assert "in describes" in traced.err


@pytest.mark.parametrize(("options", "shown"), [((), True), (("-q",), False)])
def test_a_warning_that_no_report_repeats_is_shown_unless_quiet_is_wanted(
    rivet: Rivet, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], *, shown: bool
) -> None:
    real = SqliteSource.check

    def warns(source: SqliteSource) -> None:
        structlog.get_logger("rivet.engine").warning("source_under_pressure", batch_rows=1)
        real(source)

    monkeypatch.setattr(SqliteSource, "identity", _before(SqliteSource.identity, warns))
    done = rivet(*options, "run", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, "source_under_pressure" in done.err) == (0, shown)


def _before(method: Any, first: Callable[[Any], None]) -> Any:
    def both(source: Any) -> Any:
        first(source)
        return method(source)

    return both


@pytest.mark.parametrize("mode", ["--json", "text"])
def test_a_run_that_recorded_nothing_is_not_said_to_be_resumed(rivet: Rivet, failing: None, mode: str) -> None:
    del failing
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders", *(() if mode == "text" else (mode,)))
    assert "resumes" not in done.out + done.err
    assert ("begins anew" in done.out) == (mode == "text")
