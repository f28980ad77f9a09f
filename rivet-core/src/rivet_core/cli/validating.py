"""What ``rivet validate`` does."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.cli.failing import error_to_json, tell_error
from rivet_core.cli.loading import Loaded, load_exports
from rivet_core.cli.printing import json_text, say, say_json, tell
from rivet_core.cli.run_ids import day_of, export_of
from rivet_core.cli.verifying import Verified, Wanted, verify_export
from rivet_core.engine.report_text import count_text
from rivet_core.errors import EnvironmentFailure, Exit, IntegrityError, Place, RivetError, UsageError
from rivet_core.manifest.report import Depth
from rivet_core.types import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.cli.invocation import Invocation
    from rivet_core.requests import Intent


@attrs.frozen(kw_only=True)
class Wishes:
    """The options of ``rivet validate``."""

    config: str
    exports: tuple[str, ...] = ()
    params: tuple[str, ...] = ()
    depth: str = "full"
    as_json: bool = False
    output: str | None = None
    date: datetime | None = None
    run_id: str | None = None
    prefix: str | None = None


@attrs.frozen(kw_only=True)
class Findings:
    """What was verified, and the exports that could not be."""

    verified: tuple[Verified, ...]
    errors: tuple[tuple[str, RivetError], ...]
    warnings: tuple[str, ...]

    @property
    def exit(self) -> Exit:
        """The worst of all: 3 before what stopped an export from being verified."""
        exits = [found.verification.exit for found in self.verified]
        if Exit.INTEGRITY in exits:
            return Exit.INTEGRITY
        return max([*exits, *(error.exit for _, error in self.errors)], default=Exit.DONE)


def validate(invocation: Invocation, wishes: Wishes) -> int:
    """Verify the exports and return the exit status."""
    loaded = load_exports(invocation, wishes.config, exports=wishes.exports, params=wishes.params)
    intents = _meant(loaded, wishes)
    wanted = Wanted(depth=Depth(wishes.depth), prefix=wishes.prefix, date=_date(wishes), run_id=wishes.run_id)
    verified: list[Verified] = []
    errors: list[tuple[str, RivetError]] = []
    warnings = [str(warning) for warning in loaded.configuration.warnings]
    for intent in intents:
        readable = loaded.declarations(intent).destination.capabilities.readable
        if not readable and len(intents) > 1:
            warnings.append(f"export {intent.name} writes to {intent.destination.kind}, which cannot be read again")
            continue
        try:
            verified += verify_export(loaded, intent, wanted)
        except RivetError as error:
            errors.append((intent.name, error))
    for name, found in errors:
        invocation.locate(found, export=name)
    findings = Findings(verified=tuple(verified), errors=tuple(errors), warnings=tuple(warnings))
    _print(wishes, findings)
    _tell(invocation, findings)
    return int(findings.exit)


def _meant(loaded: Loaded, wishes: Wishes) -> tuple[Intent, ...]:
    """Return the exports that are meant; a run and a prefix belong to one of them."""
    if wishes.run_id is None and wishes.prefix is None:
        return loaded.intents
    intents = loaded.intents
    if wishes.run_id is not None and len(intents) > 1:
        name = export_of(wishes.run_id)
        intents = tuple(intent for intent in intents if _plain(intent.name) == name)
    if len(intents) != 1:
        option = "--run-id" if wishes.run_id is not None else "--prefix"
        msg = f"{option} is about one export, and {len(intents)} could be meant"
        raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy="name the export with -e")
    return intents


def _plain(name: str) -> str:
    from rivet_core.ledger.naming import new_run_id

    return export_of(new_run_id(name, datetime.now(UTC))) or name


def _date(wishes: Wishes) -> datetime | None:
    if wishes.date is not None:
        return wishes.date.replace(tzinfo=UTC)
    return None if wishes.run_id is None else day_of(wishes.run_id)


def _print(wishes: Wishes, findings: Findings) -> None:
    text = json_text(_json(findings)) if wishes.as_json else "\n".join(map(one_line, _lines(findings)))
    if wishes.output is None:
        if wishes.as_json:
            say_json(_json(findings))
        else:
            say(*_lines(findings))
        return
    try:
        Path(wishes.output).write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        msg = f"the report cannot be written: {error.strerror}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_CLI_OUTPUT_UNWRITABLE",
            place=Place(file=wishes.output),
            remedy="name a file in a folder that exists and may be written",
        ) from error


def _json(findings: Findings) -> dict[str, Any]:
    return {
        "exports": [
            {
                "export_name": found.export,
                "resolved_prefix": found.prefix,
                "verification": found.verification.to_json(),
            }
            for found in findings.verified
        ],
        "warnings": list(findings.warnings),
        "errors": [{"export_name": name, **error_to_json(error)} for name, error in findings.errors],
    }


def _lines(findings: Findings) -> Iterator[str]:
    for found in findings.verified:
        report = found.verification
        word = {Exit.DONE: "passed", Exit.USAGE: "not verified", Exit.INTEGRITY: "FAILED"}[report.exit]
        yield f"{found.export}: {word} at depth {report.depth.value}"
        yield f"  prefix    {found.prefix}"
        if report.manifest_found and report.depth is not Depth.LIGHT:
            confirmed = f", {report.parts_md5_verified} confirmed by the store" if report.parts_md5_verified else ""
            broken = f", {report.parts_failed} not what the manifest says" if report.parts_failed else ""
            yield f"  parts     {count_text(report.parts_verified, 'part')} verified{confirmed}{broken}"
        for failure in report.failures:
            label = "warning" if failure in report.warnings else "finding"
            yield f"  {label:<9} [{failure.kind.code}] {failure.detail}"
    for name, error in findings.errors:
        yield f"{name}: not verified [{error.code}]"


def _tell(invocation: Invocation, findings: Findings) -> None:
    if not invocation.quiet:
        for warning in findings.warnings:
            tell(f"Warning: {warning}")
    if findings.exit is Exit.DONE:
        return
    if findings.exit not in {found.verification.exit for found in findings.verified}:
        for _, stopped in findings.errors:
            tell_error(stopped, invocation)
        return
    bad = [found for found in findings.verified if found.verification.exit is findings.exit]
    names = ", ".join(dict.fromkeys(found.export for found in bad))
    place = Place(value=bad[0].prefix)
    if findings.exit is Exit.INTEGRITY:
        error: RivetError = IntegrityError(
            f"what lies at the destination is not what its manifest says: {names}",
            code="RIVET_VALIDATE_FAILED",
            place=place,
            remedy="keep it away from loaders; restore the parts, or run the export again",
        )
    else:
        error = EnvironmentFailure(
            f"there is no finished dataset to verify: {names}",
            code="RIVET_VALIDATE_UNVERIFIED",
            place=place,
            remedy="run the export, or look elsewhere with --date, --run-id or --prefix",
        )
    tell_error(error, invocation)
