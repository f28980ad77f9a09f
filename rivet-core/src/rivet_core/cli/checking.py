"""What ``rivet check`` does."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from rivet_core.cli import webhooks
from rivet_core.cli.failing import error_to_json, tell_error
from rivet_core.cli.loading import load_exports
from rivet_core.cli.printing import say, say_json, table, tell
from rivet_core.engine.preview import Preview, preview
from rivet_core.engine.promise import promises
from rivet_core.engine.report_text import count_text
from rivet_core.errors import Exit
from rivet_core.state import StateDatabase
from rivet_core.types import Fidelity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rivet_core.cli.invocation import Invocation
    from rivet_core.engine.declarations import Declarations
    from rivet_core.types import Column


def check(
    invocation: Invocation,
    config: str,
    exports: tuple[str, ...],
    params: tuple[str, ...],
    *,
    type_report: bool,
    strict: bool,
    as_json: bool,
) -> int:
    """Preview the exports and return the exit status."""
    loaded = load_exports(invocation, config, exports=exports, params=params, strict=strict, connects=True)
    untold = webhooks.missing(loaded, invocation)
    if untold is not None and not invocation.quiet:
        tell(f"Warning: Slack could not be told: {untold}")
    state = loaded.state_file(invocation)
    with ExitStack() as stack:
        # A state that is not there yet is not made: nothing is written.
        database = stack.enter_context(StateDatabase(state)) if state.exists() else None
        found = [
            (declarations, preview(intent, declarations, database))
            for intent in loaded.intents
            for declarations in (loaded.declarations(intent),)
        ]
    for _, one in found:
        invocation.locate(one.error, export=one.export)
    if as_json:
        say_json([_json(declarations, one) for declarations, one in found])
    else:
        blocks = [("", *_lines(one, every=type_report)) for _, one in found]
        blocks += [("", *lines) for lines in _promises(found)]
        say(*[line for block in blocks for line in block][1:])
    errors = [one.error for _, one in found if one.error is not None]
    for error in errors:
        tell_error(error, invocation)
    order = (Exit.INTEGRITY, Exit.DRIFT, Exit.REFUSED, Exit.INTERNAL, Exit.TRANSIENT, Exit.USAGE)
    return next((int(status) for status in order if status in {error.exit for error in errors}), 0)


def _promises(found: Sequence[tuple[Declarations, Preview]]) -> Iterator[tuple[str, ...]]:
    """Yield each promise once, with the exports that it is made for."""
    exports: dict[tuple[str, ...], list[str]] = {}
    for declarations, one in found:
        if one.plan is not None:
            made = promises(one.plan, declarations.destination.capabilities)
            exports.setdefault(made, []).append(one.export)
    for made, names in exports.items():
        yield (f"promise for {', '.join(names)}", *(f"  - {sentence}" for sentence in made))


def _lines(found: Preview, *, every: bool) -> Iterator[str]:
    word = "ok" if found.error is None else f"not ready [{found.error.code}]"
    yield f"{found.export}: {word}"
    if found.source is not None:
        yield f"  source    {found.source}"
    if found.plan is not None:
        estimated = "unknown" if found.plan.estimated_rows is None else f"about {found.plan.estimated_rows:,}"
        yield f"  rows      {estimated}"
        yield f"  runner    {found.plan.runner}, {count_text(found.plan.workers, 'worker')}"
    if found.position is not None:
        yield f"  position  {found.position}"
    if found.unfinished is not None:
        yield f"  {found.unfinished_ends:<10}{found.unfinished}"
    for change in found.drift:
        yield f"  drift     {change}"
    for warning in () if found.plan is None else found.plan.warnings:
        yield f"  warning   {warning}"
    yield from _section(
        "runners of this mode",
        ("runner", "serves"),
        [(row.runner.kind, "yes" if row.reason is None else f"no: {row.reason}") for row in found.runners],
    )
    for name, schema in found.schemas:
        shown = [column for column in schema.columns if every or column.fidelity is not Fidelity.EXACT]
        title = f"columns{f' of {name}' if name else ''}: {_counts(schema.columns)}"
        rows = [
            (column.name, column.native_type, str(column.field.type), column.fidelity.value, column.remark)
            for column in shown
        ]
        yield from _section(title, ("column", "native type", "arrow type", "fidelity", "remark"), rows)


def _counts(columns: tuple[Column, ...]) -> str:
    counts = [(kind, sum(column.fidelity is kind for column in columns)) for kind in Fidelity]
    return ", ".join(f"{number} {kind.value}" for kind, number in counts if number) or "none"


def _section(title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"  {title}"
    if rows:
        for line in table(headings, rows):
            yield f"    {line}"


def _json(declarations: Declarations, found: Preview) -> dict[str, Any]:
    return {
        "export_name": found.export,
        "ok": found.error is None,
        "source": found.source,
        "runner": None if found.plan is None else found.plan.runner,
        "runners": [{"runner": row.runner.kind, "reason": row.reason} for row in found.runners],
        "estimated_rows": None if found.plan is None else found.plan.estimated_rows,
        "position": found.position,
        "unfinished_run": found.unfinished,
        "unfinished_run_ends": found.unfinished_ends or None,
        "schema_changes": list(found.drift),
        "warnings": [] if found.plan is None else list(found.plan.warnings),
        "columns": [
            {
                "dataset": name,
                "name": column.name,
                "native_type": column.native_type,
                "arrow_type": str(column.field.type),
                "fidelity": column.fidelity.value,
                "not_null": column.not_null,
                "remark": column.remark or None,
            }
            for name, schema in found.schemas
            for column in schema.columns
        ],
        "promises": [] if found.plan is None else list(promises(found.plan, declarations.destination.capabilities)),
        "error": None if found.error is None else error_to_json(found.error),
    }
