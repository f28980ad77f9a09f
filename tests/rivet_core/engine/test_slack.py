from __future__ import annotations

import socket
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from rivet_core.config import Notifications
from rivet_core.engine.gates import GateResult
from rivet_core.engine.notifying import message
from rivet_core.engine.outcome import Outcome
from rivet_core.engine.report import ExportReport, RunReport
from rivet_core.engine.slack import send, webhook
from rivet_core.errors import DriftError, EnvironmentFailure
from rivet_core.requests import Chosen, Intent
from rivet_core.types import Secret

EVERYTHING = ("failure", "schema_change", "degraded")
ANY = Chosen(kind="any", options=None)


def report(*outcomes: Outcome, signal: int | None = None) -> RunReport:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    exports = tuple(
        ExportReport(
            intent=Intent(name=one.export, source=ANY, relation=None, mode=ANY, format=ANY, destination=ANY),
            outcome=one,
        )
        for one in outcomes
    )
    return RunReport(config="rivet.yaml", started=now, finished=now, exports=exports, signal_exit=signal)


def outcome(status: str = "success", **more: Any) -> Outcome:
    return Outcome(export=more.pop("export", "orders"), run_id="r", status=status, **more)


BROKEN = EnvironmentFailure("the server went\naway", code="RIVET_SOURCE_READ_FAILED", transient=True)


def test_a_quiet_run_is_no_news() -> None:
    assert message(report(outcome(), outcome("skipped")), EVERYTHING) is None


def test_a_failure_is_one_line_with_its_code() -> None:
    text = message(report(outcome("open", error=BROKEN), outcome(export="lines")), EVERYTHING)
    assert text == (
        "rivet run of rivet.yaml: 1 of 2 exports succeeded\n"
        "- orders: open [RIVET_SOURCE_READ_FAILED] the server went away"
    )


def test_a_run_that_a_signal_ended_is_no_news() -> None:
    assert message(report(outcome("open", error=BROKEN), signal=130), EVERYTHING) is None


def test_drift_that_is_found_before_a_run_is_opened_is_a_changed_schema() -> None:
    error = DriftError("the schema changed since the last success: x", code="RIVET_RUN_SCHEMA_DRIFT")
    text = message(report(outcome("refused", error=error)), ("schema_change",))
    assert text is not None
    assert "schema changed" in text


@pytest.mark.parametrize(
    "more",
    [
        {"gates": (GateResult(gate="unique", verdict="warn", detail="d"),)},
        {"nulled": (("a", 3),)},
        {"retries": 1},
        {"abandoned": "r0: planned anew"},
    ],
)
def test_a_success_with_a_flaw_is_degraded(more: dict[str, Any]) -> None:
    assert message(report(outcome(**more)), ("degraded",)) is not None
    assert message(report(outcome(**more)), ("failure", "schema_change")) is None


def test_a_text_stays_a_glance_however_many_exports_there_are() -> None:
    long = EnvironmentFailure("x" * 5000, code="RIVET_SOURCE_READ_FAILED")
    text = message(report(*(outcome("open", export=f"e{n}", error=long) for n in range(50))), EVERYTHING)
    assert text is not None
    assert len(text) < 12_000
    assert text.endswith("and 30 more")


def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = Secret(f"http://127.0.0.1:{silent.getsockname()[1]}/hunter2")
        began = time.monotonic()
        failure = send(address, "text", seconds=0.3)
        assert time.monotonic() - began < 5
    assert failure is not None
    assert "hunter2" not in failure


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://h/x", "hooks.example", "http://[broken", "http://"])
def test_what_is_no_web_address_is_never_opened(address: str) -> None:
    found = webhook(Notifications(webhook=Secret(address), webhook_env=None, on=()), {})
    failure = found if isinstance(found, str) else send(found, "text", seconds=0.3)
    assert failure is not None
    assert address not in failure
