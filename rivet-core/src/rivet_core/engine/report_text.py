"""The report of a run as text: what became of each export, and what to do next."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rivet_core.engine.outcome import NEXT_RUN
from rivet_core.errors import Exit
from rivet_core.types import in_a_secret, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.engine.report import ExportReport, RunReport
    from rivet_core.manifest.report import Verification


def report_text(report: RunReport) -> str:
    """Return the whole report."""
    blocks = ["\n".join(map(one_line, _export(export))) for export in report.exports]
    if len(report.exports) > 1:
        blocks.append(_together(report))
    steps = tuple(_next_steps(report))
    if steps:
        blocks.append("\n".join(("Next:", *(f"  {one_line(step)}" for step in steps))))
    return "\n\n".join(blocks)


def run_command(report: RunReport, export: ExportReport) -> str:
    """Return the command that runs one export again, as a shell takes it."""
    return f"rivet run -c {_config(report)} -e {shlex.quote(export.outcome.export)}"


def shown_params(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of ``--param`` without the values that are secrets or pieces of them.

    Asked once the source was opened: what of its URL is a secret is known then.
    """
    parted = [word.partition("=") for word in words]
    return tuple(f"{name}={'...' if in_a_secret(value) else value}" for name, _, value in parted)


def count_text(number: int, word: str) -> str:
    """Return ``1 part`` or ``2,000 parts``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def bytes_text(size: int) -> str:
    """Return a size in the largest unit that keeps it above one."""
    value, unit = float(size), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{size} B" if unit == "B" else f"{value:,.1f} {unit}"


def verification_text(found: Verification) -> str:
    """Return a verification in one line."""
    if found.passed:
        unread = "" if found.depth.value == "light" else f", {count_text(found.parts_verified, 'part')} verified"
        return f"passed at depth {found.depth.value}{unread}"
    serious = [failure for failure in found.failures if failure not in found.warnings]
    return "; ".join(f"[{failure.kind.code}] {failure.detail}" for failure in serious)


def _export(export: ExportReport) -> Iterator[str]:
    outcome = export.outcome
    code = "" if outcome.error is None else f" [{outcome.error.code}]"
    yield f"{outcome.export}: {outcome.status}{code}"
    for label, text in _facts(export):
        yield f"  {label:<10}{text}"


def _facts(export: ExportReport) -> Iterator[tuple[str, str]]:
    outcome = export.outcome
    if outcome.run_id is None:
        return
    yield "run", outcome.run_id
    speed = f", {round(outcome.rows / outcome.seconds):,} rows/s" if outcome.rows and outcome.seconds > 0 else ""
    parts = f"{count_text(outcome.parts, 'part')}, {bytes_text(outcome.size)}"
    yield "rows", f"{outcome.rows:,} in {parts}"
    retries = f", {count_text(outcome.retries, 'attempt')} repeated" if outcome.retries else ""
    yield "time", f"{outcome.seconds:.2f} s{speed}{retries}"
    if outcome.destination:
        yield "written", outcome.destination
    if outcome.resumed:
        yield "resumed", "the run was begun by an earlier process, whose recorded parts are counted"
    for run in outcome.completed:
        yield "completed", f"run {run}, which an earlier process had sealed"
    if outcome.abandoned is not None:
        yield "abandoned", outcome.abandoned
    for result in outcome.gates:
        yield "gate", f"{result.gate}: {result.verdict}, {result.detail}"
    for column, cells in outcome.nulled:
        yield "nulled", f"{count_text(cells, 'cell')} of {column}, whose values no type can hold"
    if outcome.status == "skipped":
        yield "skipped", "the relation has no rows, and the prefix was left as it was"
    for warning in outcome.warnings:
        yield "warning", warning
    if export.verification is not None:
        yield "validated", verification_text(export.verification)


def _together(report: RunReport) -> str:
    words = (("success", "success"), ("skipped", "skipped"), ("failed", "failed"), ("open", "open"))
    counted = [f"{number} {text}" for status, text in words if (number := report.count(status))]
    if refused := report.count("refused"):
        counted.append(f"{refused} not begun")
    rows = sum(export.outcome.rows for export in report.exports)
    seconds = (report.finished - report.started).total_seconds()
    total = count_text(len(report.exports), "export")
    return f"{total}: {', '.join(counted)}; {count_text(rows, 'row')} in {seconds:.2f} s"


def _config(report: RunReport) -> str:
    return " -p ".join(map(shlex.quote, (report.config, *report.params)))


def _next_steps(report: RunReport) -> Iterator[str]:
    done = [export for export in report.exports if export.exit is Exit.DONE]
    open_questions = [export for export in done if export.readable and export.verification is None]
    if any(export.outcome.status == "success" for export in open_questions):
        yield f"rivet validate -c {_config(report)}    verify what was written, without the source"
    for export in report.exports:
        error = export.outcome.error
        command = run_command(report, export)
        if export.outcome.status == "open":
            yield f"{command}    {NEXT_RUN[export.outcome.goes_on].removeprefix('it ')}"
        elif export.outcome.status == "failed":
            yield f"{command}    once the cause is mended: reads again from the last success"
        elif error is not None and error.remedy:
            yield f"{export.outcome.export}: {error.remedy}"
        elif export.exit is not Exit.DONE:
            yield f"{export.outcome.export}: keep what was written away from loaders until it validates"
