from __future__ import annotations

import threading
import time
from typing import Any

import attrs
import pytest
from structlog.testing import capture_logs

from rivet_core.engine.asking import Asked
from rivet_core.errors import EnvironmentFailure
from rivet_core.ledger.attempts import Stopped
from rivet_core.types import Verdict


@attrs.frozen
class Away:
    """A source that is away for a moment, of which only the verdict is asked."""

    def verdict(self, error: BaseException) -> Verdict:
        del error
        return Verdict.RECONNECT

    def cancel(self) -> None:
        """Nothing runs."""


@attrs.frozen
class Tuning:
    statement_timeout_s: int = 0


@attrs.frozen
class Patient:
    """What is asked of an export."""

    name: str = "orders"
    max_attempts: int = 2
    retry_backoff_ms: int = 1
    tuning: Tuning = Tuning()


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (
            ConnectionRefusedError("no answer of postgresql://u:hunter2@db.example/d"),
            "RIVET_SOURCE_CONNECT_FAILED",
            "ConnectionRefusedError: no answer of postgresql://***@db.example/d",
        ),
        (
            EnvironmentFailure("it starts up", code="RIVET_SOURCE_QUERY_FAILED", transient=True),
            "RIVET_SOURCE_QUERY_FAILED",
            "it starts up",
        ),
    ],
)
def test_the_log_says_why_a_question_is_asked_again_without_secrets(error: Exception, code: str, words: str) -> None:
    answers: list[Exception] = [error]

    def question() -> str:
        if answers:
            raise answers.pop()
        return "here"

    source: Any = Away()
    intent: Any = Patient()
    with capture_logs() as lines:
        assert Asked(source, threading.Event()).ask(intent, question) == "here"
    (line,) = lines
    assert (line["event"], line["attempt"]) == ("source_retried", 1)
    assert (line["code"], line["error"]) == (code, words)


def test_a_source_that_says_nothing_keeps_no_stopped_run_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    freed, closed, stop = threading.Event(), threading.Event(), threading.Event()

    class Silent:
        """Neither an answer nor a cancel returns before it is freed, and closing waits for both."""

        def verdict(self, error: BaseException) -> Verdict:
            del error
            return Verdict.RECONNECT

        def cancel(self) -> None:
            freed.wait(30)

        def close(self) -> None:
            freed.wait(30)
            closed.set()

    monkeypatch.setattr("rivet_core.engine.watch._PATIENCE", 0.3)
    source: Any = Silent()
    export: Any = Patient()
    stop.set()
    asked = Asked(source, stop)
    started = time.monotonic()
    with pytest.raises(Stopped):
        asked.ask(export, lambda: freed.wait(30))
    asked.close()
    assert time.monotonic() - started < 5
    assert not closed.is_set()
    freed.set()
    assert closed.wait(5)


def test_a_source_that_was_given_up_is_asked_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    freed, questions = threading.Event(), []

    class Silent(Away):
        def cancel(self) -> None:
            freed.wait(30)

    def question() -> None:
        questions.append(1)
        freed.wait(30)

    monkeypatch.setattr("rivet_core.engine.watch._PATIENCE", 0.3)
    source: Any = Silent()
    asked = Asked(source, threading.Event())
    for _ in range(2):
        with pytest.raises(EnvironmentFailure, match="no answer"):
            asked.answer(0.1, question)
    assert len(questions) == 1
    freed.set()
