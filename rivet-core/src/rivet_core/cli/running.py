"""What ``rivet run`` does: exports, verification, reports, exit status."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rivet_core.cli.failing import error_to_json, tell_cause, tell_error, tell_error_json
from rivet_core.cli.loading import Loaded, load_exports
from rivet_core.cli.memory import share_memory
from rivet_core.cli.printing import json_text, say, say_json, tell
from rivet_core.cli.progress import showing
from rivet_core.cli.signals import SignalReceived
from rivet_core.cli.verifying import Wanted, verify_export
from rivet_core.engine.exports import MOST_AT_A_TIME, ExportJob, run_exports
from rivet_core.engine.report import ExportReport, RunReport
from rivet_core.engine.report_files import write_run_files
from rivet_core.engine.report_text import report_text, shown_params, verification_text
from rivet_core.engine.settings import Settings
from rivet_core.errors import EnvironmentFailure, IntegrityError, Place, RivetError, UsageError
from rivet_core.manifest.report import Depth
from rivet_core.state import StateDatabase
from rivet_core.state.location import FOREIGN_STATE_FILE
from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.cli.invocation import Invocation
    from rivet_core.engine.exports import Ended
    from rivet_core.events import Event


@attrs.frozen(kw_only=True)
class Wishes:
    """The options of ``rivet run``."""

    config: str
    exports: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    fresh: bool = False
    resume: bool = False
    validate: bool = False
    strict: bool = False
    as_json: bool = False
    summary_output: str | None = None
    parallel_exports: bool = False
    reconcile: bool = False
    notify: bool = True


def run(invocation: Invocation, wishes: Wishes) -> int:
    """Run the exports and return the exit status."""
    if wishes.fresh and wishes.resume:
        msg = "--fresh and --resume contradict each other"
        raise UsageError(
            msg,
            code="RIVET_CLI_OPTION_UNSUPPORTED",
            remedy="leave out --resume: a run uses what was recorded by itself",
        )
    if wishes.resume and not invocation.quiet:
        tell("Note: --resume changes nothing, since what an unfinished run recorded is used anyway.")
    wait = invocation.lock_wait_seconds
    loaded = load_exports(
        invocation,
        wishes.config,
        exports=wishes.exports,
        params=wishes.params,
        strict=wishes.strict,
        connects=True,
    )
    jobs = tuple(ExportJob(intent=intent, declarations=loaded.declarations(intent)) for intent in loaded.intents)
    piped = [job.intent.name for job in jobs if not job.declarations.destination.capabilities.durable]
    at_a_time = _at_a_time(wishes, loaded, piped)
    _check_summary(wishes)
    loaded.plugins.load_observers()
    settings = Settings(
        lock_wait_seconds=wait,
        fresh=wishes.fresh,
        reconcile=wishes.reconcile,
        staging=Path(folder) if (folder := invocation.environ.get("RIVET_STAGING")) else None,
        foreign_state=loaded.configuration.folder / FOREIGN_STATE_FILE,
    )
    share_memory(invocation.environ)
    started = datetime.now(UTC)
    # Another process's transaction is short, so it is waited for also by who does not want to wait for its lease.
    database = StateDatabase(loaded.state_file(invocation), wait_seconds=min(10.0, max(1.0, wait)))
    ended: Ended | None = None
    try:
        announce = not (invocation.quiet or invocation.json_errors)
        with showing(invocation) as show, invocation.signals.setting(settings.stop, announce=announce):
            observed = attrs.evolve(settings, observe=_both(show, loaded.plugins.notify))
            ended = run_exports(jobs, database, observed, at_a_time=at_a_time)
    finally:
        # A thread that hangs may hold the file; the process ends without waiting for it.
        if ended is None or not ended.alive:
            database.close()
    invocation.abandon_threads = ended.alive
    for outcome in ended.outcomes:
        invocation.locate(outcome.error, export=outcome.export)
    report = _report(invocation, wishes, loaded, ended, started, at_a_time)
    try:
        _print(invocation, wishes, report, loaded, piped=bool(piped))
    finally:
        if wishes.notify:
            _notify(invocation, report, loaded)
    # Last, since of standard error a program reads the last line.
    _tell_errors(invocation, report)
    return report.exit


def _notify(invocation: Invocation, report: RunReport, loaded: Loaded) -> None:
    """Tell whom the file names; what goes wrong with that is a warning and nothing else."""
    notifications = loaded.configuration.notifications
    if notifications is None:
        return
    # Nobody else pays for an HTTP client.
    from rivet_core.engine import notifying, slack

    address = slack.webhook(notifications, invocation.environ)
    text = notifying.message(report, notifications.on)
    failure = address if isinstance(address, str) else None
    if isinstance(address, Secret) and text is not None:
        failure = slack.send(address, text)
    if failure is not None and not invocation.quiet:
        tell(f"Warning: Slack was not told: {failure}" if text else f"Warning: Slack could not be told: {failure}")


def _at_a_time(wishes: Wishes, loaded: Loaded, piped: list[str]) -> int:
    parallel = wishes.parallel_exports or (loaded.configuration.parallel_exports and not piped)
    if piped and (wishes.as_json or (parallel and len(loaded.intents) > 1)):
        given = "--json" if wishes.as_json else "--parallel-exports"
        msg = f"{given} does not go with export {piped[0]}, whose data goes to standard output"
        remedy = "use --summary-output" if wishes.as_json else "run it alone with -e"
        raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy=remedy)
    return min(MOST_AT_A_TIME, len(loaded.intents)) if parallel else 1


def _check_summary(wishes: Wishes) -> None:
    """Find out before the run whether its summary has a place."""
    if wishes.summary_output is not None:
        folder = Path(wishes.summary_output).absolute().parent
        if not folder.is_dir() or Path(wishes.summary_output).is_dir():
            raise _unwritable(wishes.summary_output, "there is no such folder, or it is one itself")


def _unwritable(path: str, why: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"the file cannot be written: {why}",
        code="RIVET_CLI_OUTPUT_UNWRITABLE",
        place=Place(file=path),
        remedy="name a file in a folder that exists and may be written",
    )


def _both(first: Callable[[Event], None], second: Callable[[Event], None]) -> Callable[[Event], None]:
    def observe(event: Event) -> None:
        first(event)
        second(event)

    return observe


def _report(
    invocation: Invocation, wishes: Wishes, loaded: Loaded, ended: Ended, started: datetime, at_a_time: int
) -> RunReport:
    exports = [
        ExportReport(
            intent=intent,
            outcome=outcome,
            bytes_read=size,
            readable=loaded.declarations(intent).destination.capabilities.readable,
        )
        for intent, outcome, size in zip(loaded.intents, ended.outcomes, ended.bytes_read, strict=True)
    ]
    received = invocation.signals.received
    if wishes.validate and received is None:
        try:
            exports = [_verified(loaded, export, started) for export in exports]
        except SignalReceived as error:
            received = error.number
    return RunReport(
        config=wishes.config,
        started=started,
        finished=datetime.now(UTC),
        exports=tuple(exports),
        params=shown_params(wishes.params),
        at_a_time=at_a_time,
        signal_exit=None if received is None else 128 + received,
        warnings=tuple(str(warning) for warning in loaded.configuration.warnings),
    )


def _verified(loaded: Loaded, export: ExportReport, started: datetime) -> ExportReport:
    """Return the export's report with what lies at its prefix now, if its run was a success."""
    if export.outcome.status != "success" or not export.readable:
        return export
    # A resumed run keeps its own day; its run id tells which.
    found = verify_export(loaded, export.intent, Wanted(depth=Depth.FULL, date=_day(export, started)))
    worst = max(found, key=lambda one: one.verification.exit)
    return attrs.evolve(export, verification=worst.verification)


def _day(export: ExportReport, started: datetime) -> datetime:
    from rivet_core.cli.run_ids import day_of

    return (day_of(export.outcome.run_id) if export.outcome.run_id else None) or started


def _print(invocation: Invocation, wishes: Wishes, report: RunReport, loaded: Loaded, *, piped: bool) -> None:
    for failure in write_run_files(report, loaded.configuration.folder):
        if not invocation.quiet:
            tell(f"Warning: {failure}")
    if wishes.as_json:
        say_json(report.to_json())
    elif not (piped and invocation.quiet):
        say(*report_text(report).split("\n"), out=sys.stderr if piped else None)
    if wishes.summary_output is not None:
        try:
            Path(wishes.summary_output).write_text(
                json_text(report.to_json()) + "\n", encoding="utf-8", errors="backslashreplace"
            )
        except OSError as cause:
            raise _unwritable(wishes.summary_output, cause.strerror or "") from cause


def _tell_errors(invocation: Invocation, report: RunReport) -> None:
    errors = tuple(found for export in report.exports if (found := _error(export)) is not None)
    if not errors:
        return
    if not invocation.json_errors:
        for error in errors:
            tell_error(error, invocation)
        return
    for error in errors:
        tell_cause(error, invocation)
    worst = next((one for one in errors if int(one.exit) == report.exit), errors[0])
    told = {**error_to_json(worst), "exit_class": report.exit}
    if len(report.exports) > 1:
        told["error"] = f"{len(errors)} of {len(report.exports)} exports failed; the worst: {worst.message}"
        told["exports"] = [error_to_json(error) for error in errors]
    tell_error_json(told)


def _error(export: ExportReport) -> RivetError | None:
    """Return what an export failed with: its run's error, or what verification found."""
    found = export.verification
    if export.outcome.error is not None or found is None or found.code is None:
        return export.outcome.error
    message = f"export {export.outcome.export} does not validate: {verification_text(found)}"
    place = Place(path=f"exports.{export.outcome.export}")
    if found.code == "RIVET_VALIDATE_FAILED":
        return IntegrityError(message, code=found.code, place=place, remedy="keep it away from loaders")
    return EnvironmentFailure(message, code=found.code, place=place, remedy="run rivet validate again")
