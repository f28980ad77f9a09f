"""The report of each run as two files beside the configuration: one for programs, one for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rivet_core.engine.report_text import bytes_text, run_command, verification_text
from rivet_core.types import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from rivet_core.engine.report import ExportReport, RunReport


def write_run_files(report: RunReport, folder: Path) -> tuple[str, ...]:
    """Write ``.rivet/runs/<run_id>/summary.json`` and ``summary.md`` for every run of a report.

    :param folder: the configuration's.
    :returns: why files could not be written; a run is not worse for it.
    """
    failures = []
    for export in report.exports:
        run_id = export.outcome.run_id
        if run_id is None:
            continue
        place = folder / ".rivet" / "runs" / run_id
        summary = run_summary(report, export)
        try:
            place.mkdir(parents=True, exist_ok=True)
            _write(place / "summary.json", json.dumps(summary, indent=2, ensure_ascii=False))
            _write(place / "summary.md", _markdown(summary, export))
        except OSError as error:
            failures.append(f"the report of run {run_id} could not be written to {place}: {error.strerror}")
    return tuple(failures)


def _write(path: Path, text: str) -> None:
    # A name that the locale cannot read is no reason to fail. JSON has the same escapes.
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def run_summary(report: RunReport, export: ExportReport) -> dict[str, Any]:
    """Return one run's summary, free of secrets."""
    outcome, intent = export.outcome, export.intent
    resumable = outcome.status == "open" and outcome.goes_on
    checks = {result.gate: result for result in outcome.gates}
    drift = checks.get("schema_drift")
    changed = drift is not None and drift.verdict != "pass"
    return {
        "run_id": outcome.run_id,
        "export_name": outcome.export,
        "status": outcome.status,
        "started_at": report.started.isoformat(),
        "finished_at": report.finished.isoformat(),
        "duration_ms": round(outcome.seconds * 1000),
        "source_engine": intent.source.kind,
        "mode": intent.mode.kind,
        "destination_kind": intent.destination.kind,
        "destination": outcome.destination,
        "format": intent.format.kind,
        "total_rows": outcome.rows,
        "files_produced": outcome.parts,
        "bytes_written": outcome.size,
        "bytes_read": export.bytes_read,
        "peak_rss_mb": json.loads(outcome.to_json())["peak_rss_mb"],
        "retries": outcome.retries,
        "validation": None
        if export.verification is None
        else {"passed": export.verification.passed, "manifest": export.verification.to_json()},
        "schema_changed": changed,
        "schema_changes": [drift.detail] if drift is not None and changed else [],
        "gates": [
            {"gate": result.gate, "verdict": result.verdict, "detail": result.detail} for result in outcome.gates
        ],
        "plan_warnings": list(outcome.warnings),
        "error_code": None if outcome.error is None else outcome.error.code,
        "error_message": None if outcome.error is None else outcome.error.message,
        "resumable": resumable,
        "resume_command": run_command(report, export) if resumable else None,
    }


def _markdown(summary: dict[str, Any], export: ExportReport) -> str:
    facts = [
        ("status", summary["status"]),
        ("run", summary["run_id"]),
        ("finished", summary["finished_at"]),
        ("rows", f"{summary['total_rows']:,}"),
        ("parts", f"{summary['files_produced']:,}, {bytes_text(summary['bytes_written'])}"),
        ("seconds", f"{summary['duration_ms'] / 1000:.2f}"),
        ("destination", summary["destination"]),
        *((f"gate {gate['gate']}", f"{gate['verdict']}, {gate['detail']}") for gate in summary["gates"]),
        *(("warning", warning) for warning in summary["plan_warnings"]),
    ]
    if export.verification is not None:
        facts.append(("validated", verification_text(export.verification)))
    if summary["error_code"]:
        facts.append(("error", f"{summary['error_code']}: {summary['error_message']}"))
    if summary["resume_command"]:
        facts.append(("resume", f"`{summary['resume_command']}`"))
    rows = "".join(f"| {name} | {_cell(str(value))} |\n" for name, value in facts)
    return f"# {one_line(summary['export_name'])}\n\n| | |\n| --- | --- |\n{rows}"


def _cell(text: str) -> str:
    return one_line(" ".join(text.replace("|", "\\|").split()))
