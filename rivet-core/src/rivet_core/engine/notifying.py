"""What a run is worth telling people who did not watch it: which occasions there were, and in which words.

Nothing is sent here, and a run never depends on whether it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rivet_core.engine.report_text import count_text
from rivet_core.errors import Exit
from rivet_core.types import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rivet_core.engine.report import ExportReport, RunReport

#: A line is for a glance; the report has the rest.
_LONGEST: Final = 500
#: More exports than this are counted, not listed.
_MOST: Final = 20


def message(report: RunReport, wanted: Collection[str]) -> str | None:
    """Return what to tell, or None when nothing wanted happened.

    A run that a signal ended is nobody's news: whoever sent it knows.

    :param wanted: ``failure``, ``schema_change``, ``degraded``.
    """
    if report.signal_exit is not None:
        return None
    lines = [line for export in report.exports for occasion, line in _occasions(export) if occasion in wanted]
    if not lines:
        return None
    more = [f"and {len(lines) - _MOST} more"] if len(lines) > _MOST else []
    head = f"rivet run of {report.config}: {report.count('success')} of {len(report.exports)} exports succeeded"
    return "\n".join((head, *lines[:_MOST], *more))


def _occasions(export: ExportReport) -> Iterator[tuple[str, str]]:
    outcome = export.outcome
    drift = [gate.detail for gate in outcome.gates if gate.gate == "schema_drift" and gate.verdict != "pass"]
    if outcome.error is not None and outcome.error.exit is Exit.DRIFT:
        # Found before a run was opened, it is no gate's verdict.
        drift = drift or [outcome.error.message]
    if drift:
        yield "schema_change", _line(export, f"schema changed: {drift[-1]}")
    if export.exit is not Exit.DONE:
        yield "failure", _line(export, _failure(export))
    elif outcome.status == "success" and (weak := tuple(_weaknesses(export))):
        yield "degraded", _line(export, f"done, but {'; '.join(weak)}")


def _failure(export: ExportReport) -> str:
    error = export.outcome.error
    if error is not None:
        return f"{export.outcome.status} [{error.code}] {error.message}"
    found = export.verification
    return f"written, but not verified{'' if found is None or found.code is None else f' [{found.code}]'}"


def _weaknesses(export: ExportReport) -> Iterator[str]:
    outcome = export.outcome
    for gate in outcome.gates:
        if gate.verdict == "warn" and gate.gate != "schema_drift":
            yield f"{gate.gate}: {gate.detail}"
    if cells := sum(number for _, number in outcome.nulled):
        yield f"{count_text(cells, 'cell')} became NULL, since no type holds their values"
    if outcome.retries:
        yield f"{count_text(outcome.retries, 'attempt')} had to be repeated"
    if outcome.abandoned is not None:
        yield "an unfinished run was abandoned"


def _line(export: ExportReport, text: str) -> str:
    whole = one_line(f"- {export.outcome.export}: {text}".replace("\n", " "))
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"
