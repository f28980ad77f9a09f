from __future__ import annotations

from datetime import UTC, datetime, timedelta

import attrs
import pytest

from rivet_core.engine.gates import GateResult
from rivet_core.engine.outcome import Outcome
from rivet_core.engine.report import ExportReport, RunReport
from rivet_core.engine.report_files import run_summary
from rivet_core.engine.report_text import bytes_text, count_text, report_text, shown_params
from rivet_core.errors import (
    BusyError,
    DriftError,
    EnvironmentFailure,
    IntegrityError,
    InternalError,
    RefusalError,
    RivetError,
    UsageError,
)
from rivet_core.manifest.report import Depth, Failure, FailureKind, Verification
from rivet_core.requests import Chosen, Intent
from rivet_core.types import Secret, Table

STARTED = datetime(2024, 5, 1, 12, tzinfo=UTC)
INTEGRITY = IntegrityError("bad", code="RIVET_RUN_GATE_FAILED")
DRIFT = DriftError("drifted", code="RIVET_RUN_SCHEMA_DRIFT")
REFUSED = RefusalError("no", code="RIVET_STATE_PLAN_CHANGED", remedy="decide")
BUG = InternalError("ours", code="RIVET_INTERNAL_ERROR")
BUSY = BusyError("later", code="RIVET_STATE_LOCK_TIMEOUT", remedy="wait")
USAGE = UsageError("wrong", code="RIVET_CONFIG_VALUE_INVALID", remedy="edit")
DAMAGED = Verification(depth=Depth.FULL, failures=(Failure(kind=FailureKind.PART_MISSING, detail="gone"),))
UNFINISHED = Verification(depth=Depth.FULL, failures=(Failure(kind=FailureKind.MANIFEST_REQUIRED, detail="none"),))


def intent(name: str) -> Intent:
    nothing = Chosen(kind="nothing", options=None)
    return Intent(
        name=name, source=nothing, relation=Table(name="t"), mode=nothing, format=nothing, destination=nothing
    )


def export(
    error: RivetError | None = None, *, status: str = "success", found: Verification | None = None, **facts: object
) -> ExportReport:
    outcome = Outcome(export="orders", run_id="orders_1", status=status, error=error, **facts)  # type: ignore[arg-type]
    return ExportReport(intent=intent("orders"), outcome=outcome, verification=found)


def report(*exports: ExportReport, signal_exit: int | None = None) -> RunReport:
    return RunReport(
        config="rivet.yaml",
        started=STARTED,
        finished=STARTED + timedelta(seconds=2),
        exports=exports,
        signal_exit=signal_exit,
    )


@pytest.mark.parametrize(
    ("errors", "code"),
    [
        ([], 0),
        ([USAGE], 1),
        ([USAGE, BUSY], 2),
        ([BUSY, BUG], 6),
        ([BUG, REFUSED], 5),
        ([REFUSED, DRIFT], 4),
        ([DRIFT, INTEGRITY, USAGE, BUSY, BUG, REFUSED], 3),
    ],
)
def test_the_exit_is_that_of_the_most_stop_worthy_export(errors: list[RivetError], code: int) -> None:
    assert report(export(), *(export(error, status="open") for error in errors)).exit == code


@pytest.mark.parametrize(
    ("exports", "code"),
    [
        ([export(found=DAMAGED)], 3),
        ([export(found=UNFINISHED)], 1),
        ([export(found=DAMAGED), export(REFUSED, status="refused")], 3),
        ([export(found=UNFINISHED), export(REFUSED, status="refused")], 5),
    ],
)
def test_what_verification_finds_counts(exports: list[ExportReport], code: int) -> None:
    assert report(*exports).exit == code


def test_a_signal_goes_before_everything() -> None:
    assert report(export(INTEGRITY, status="failed"), signal_exit=143).exit == 143


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({"rows": 2000, "parts": 2, "size": 2048, "seconds": 2.0}, "rows      2,000 in 2 parts, 2.0 KiB"),
        ({"rows": 2000, "seconds": 2.0}, "time      2.00 s, 1,000 rows/s"),
        ({"retries": 1}, "1 attempt repeated"),
        ({"resumed": True}, "resumed   "),
        ({"completed": ("orders_0",)}, "completed run orders_0"),
        ({"abandoned": "orders_0: it was"}, "abandoned orders_0: it was"),
        ({"nulled": (("born", 3),)}, "nulled    3 cells of born"),
        ({"warnings": ("look",)}, "warning   look"),
        ({"destination": "file:///out/"}, "written   file:///out/"),
        ({"gates": (GateResult(gate="row_count", verdict="warn", detail="few"),)}, "gate      row_count: warn, few"),
    ],
)
def test_a_fact_of_an_export_is_in_its_report(facts: dict[str, object], line: str) -> None:
    assert line in report_text(report(export(**facts)))


def test_every_next_command_has_the_params() -> None:
    exports = (export(), export(BUSY, status="open"), export(INTEGRITY, status="failed"))
    text = report_text(attrs.evolve(report(*exports), params=("day=2026-01-01",)))
    assert text.partition("Next:")[2].count(" -c rivet.yaml -p day=2026-01-01 ") == 3


def test_a_summary_resumes_an_open_run_by_the_command_of_the_report() -> None:
    one = export(BUSY, status="open")
    found = attrs.evolve(report(one), config="my rivet.yaml", params=("day=2026-01-01",))
    command = run_summary(found, one)["resume_command"]
    assert command == "rivet run -c 'my rivet.yaml' -p day=2026-01-01 -e orders"
    assert f"  {command}    resumes" in report_text(found)


@pytest.mark.parametrize(
    ("one", "resumable"),
    [
        (export(BUSY, status="open"), True),
        (export(BUSY, status="open", goes_on=False), False),
        (export(INTEGRITY, status="failed"), False),
    ],
)
def test_only_an_open_run_whose_parts_the_next_one_uses_is_resumable(one: ExportReport, *, resumable: bool) -> None:
    summary = run_summary(report(one), one)
    assert (summary["resumable"], summary["resume_command"] is not None) == (resumable, resumable)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("day=2026-01-01", "day=2026-01-01"),
        ("PW=hunter2-of-report", "PW=..."),
        ("PW=of-report", "PW=..."),
        ("E=", "E="),
    ],
)
def test_a_param_that_is_in_a_secret_is_not_shown(word: str, shown: str) -> None:
    Secret("postgresql://u:hunter2-of-report@h/d")
    assert shown_params((word,)) == (shown,)


@pytest.mark.parametrize(
    ("one", "step"),
    [
        (export(), "rivet validate -c rivet.yaml"),
        (export(BUSY, status="open"), "rivet run -c rivet.yaml -e orders    resumes"),
        (export(BUSY, status="open", goes_on=False), "rivet run -c rivet.yaml -e orders    begins anew"),
        (export(INTEGRITY, status="failed"), "rivet run -c rivet.yaml -e orders    once the cause is mended"),
        (export(USAGE, status="refused"), "orders: edit"),
        (export(found=DAMAGED), "keep what was written away from loaders"),
    ],
)
def test_the_report_says_what_to_do_next(one: ExportReport, step: str) -> None:
    assert step in report_text(report(one)).partition("Next:")[2]


def test_a_run_that_was_verified_asks_for_nothing_more() -> None:
    assert "Next:" not in report_text(report(export(found=Verification(depth=Depth.FULL, manifest_found=True))))


def test_several_exports_are_counted_together() -> None:
    text = report_text(report(export(), export(BUSY, status="open"), export(USAGE, status="refused")))
    assert "3 exports: 1 success, 1 open, 1 not begun" in text


def test_what_is_neither_done_nor_skipped_counts_as_failed() -> None:
    found = report(
        export(), export(status="skipped"), export(BUSY, status="open"), export(USAGE, status="refused")
    ).to_json()
    assert [found[name] for name in ("success_count", "skipped_count", "failed_count")] == [1, 1, 2]


def test_an_error_that_is_not_ours_has_its_own_exit() -> None:
    error = EnvironmentFailure("x", code="RIVET_RUN_UNITS_FAILED", transient=True)
    assert report(export(error, status="open")).exit == 2


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (5 * 1024**3, "5.0 GiB"), (3 * 1024**5, "3,072.0 TiB")],
)
def test_a_size_has_a_fitting_unit(size: int, text: str) -> None:
    assert bytes_text(size) == text


def test_one_is_no_plural() -> None:
    assert (count_text(1, "row"), count_text(2000, "row")) == ("1 row", "2,000 rows")
