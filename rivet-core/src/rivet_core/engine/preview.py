"""What a run of an export would do, found out without opening one: for ``rivet check``; nothing is written."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import RivetError
from rivet_core.planning import Facts, Plan, RunnerRow, choose_runner, make_plan, runner_table
from rivet_core.planning.drift import find_drift
from rivet_core.planning.identity import drift_baseline
from rivet_core.planning.position import position_text, stored_position
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.engine.declarations import Declarations
    from rivet_core.protocols import Source
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema
    from rivet_core.state import StateDatabase
    from rivet_core.state.rows import ExportRow


@attrs.frozen(kw_only=True)
class Preview:
    """What was found out; everything after the first error is missing.

    :param source: the source's identity.
    :param runners: the table of the mode's runners.
    :param schemas: the datasets' names and columns.
    :param position: the export's high-water mark, as text.
    :param drift: what changed since the last success.
    :param unfinished: the run that the next one resumes.
    """

    export: str
    source: str | None = None
    runners: tuple[RunnerRow, ...] = ()
    schemas: tuple[tuple[str, TableSchema], ...] = ()
    plan: Plan | None = None
    position: str | None = None
    drift: tuple[str, ...] = ()
    unfinished: str | None = None
    error: RivetError | None = None


def preview(intent: Intent, declarations: Declarations, database: StateDatabase | None) -> Preview:
    """Connect, describe and plan.

    :param database: borrowed; None where there is no state yet.
    """
    found = Preview(export=intent.name)
    try:
        with closing(declarations.open_source(intent)) as source:
            for step in _steps(found, intent, declarations, source, database):
                found = step
    except RivetError as error:
        return attrs.evolve(found, error=error)
    return found


def _steps(
    found: Preview, intent: Intent, declarations: Declarations, source: Source, database: StateDatabase | None
) -> Iterator[Preview]:
    """Yield what is known after each step, so that an error leaves what was known before it."""
    capabilities = declarations.destination.capabilities
    table = runner_table(intent, declarations.runners, declarations.source.capabilities, capabilities)
    found = attrs.evolve(found, runners=table)
    yield found
    source.check()
    identity = source.identity()
    export = None if database is None else reads.find_export(database, intent.name, str(identity))
    found = attrs.evolve(found, source=str(identity))
    if database is not None and export is not None:
        found = _with_kept(found, database, export)
    yield found
    runner = choose_runner(intent, declarations.runners, declarations.source.capabilities, capabilities)
    intent = intent.served_by(runner.kind)
    specs = runner.datasets(intent)
    schemas = tuple((spec, source.describe(spec.relation, intent.rules)) for spec in specs)
    found = attrs.evolve(found, schemas=tuple((spec.name, schema) for spec, schema in schemas))
    yield found
    with closing(declarations.open_destination(intent, intent.prefix)) as destination:
        template = destination.uri()
    facts = Facts(
        identity=identity,
        source=declarations.source.capabilities,
        destination=capabilities,
        schemas=schemas,
        destination_template=template,
    )
    plan = make_plan(intent, facts, runner, position=stored_position(None if export is None else export.position))
    written = declarations.format_factory(intent)()
    for dataset in plan.datasets:
        written.check(dataset.schema)
    drift = find_drift(None if export is None else export.drift, drift_baseline(plan.datasets))
    yield attrs.evolve(found, plan=plan, drift=drift.changes)


def _with_kept(found: Preview, database: StateDatabase, export: ExportRow) -> Preview:
    run = reads.unfinished_run(database, export.id)
    position = stored_position(export.position)
    return attrs.evolve(
        found,
        unfinished=None if run is None else run.id,
        position=None if position is None else position_text(position),
    )
