"""What a run of an export would do, found out without opening one: for ``rivet check``; nothing is written."""

from __future__ import annotations

import threading
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.asking import Asked
from rivet_core.engine.gates.drift import drift_error
from rivet_core.engine.open_run import described, plan_changed
from rivet_core.errors import RivetError
from rivet_core.ledger.resume import Choice, UnfinishedRun, decide
from rivet_core.planning import Facts, Plan, RunnerRow, choose_runner, make_plan, runner_table
from rivet_core.planning.drift import find_drift
from rivet_core.planning.identity import drift_baseline, position_facts
from rivet_core.planning.position import check_position, position_text, stored_position
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.engine.declarations import Declarations
    from rivet_core.hookspecs import DatasetSpec
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema
    from rivet_core.state import StateDatabase
    from rivet_core.state.rows import ExportRow
    from rivet_core.types import SourceIdentity


@attrs.frozen(kw_only=True)
class Preview:
    """What was found out; everything after the first error is missing.

    :param source: the source's identity.
    :param runners: the table of the mode's runners.
    :param schemas: the datasets' names and columns.
    :param position: the export's high-water mark, as text.
    :param drift: what changed since the last success.
    :param unfinished: the run that an earlier process left.
    :param unfinished_ends: what the next run does with it: ``resumes``, ``completes`` or ``abandons``.
    """

    export: str
    source: str | None = None
    runners: tuple[RunnerRow, ...] = ()
    schemas: tuple[tuple[str, TableSchema], ...] = ()
    plan: Plan | None = None
    position: str | None = None
    drift: tuple[str, ...] = ()
    unfinished: str | None = None
    unfinished_ends: str = ""
    error: RivetError | None = None


def preview(intent: Intent, declarations: Declarations, database: StateDatabase | None) -> Preview:
    """Connect, describe and plan.

    :param database: borrowed; None where there is no state yet.
    """
    found = Preview(export=intent.name)
    try:
        with closing(Asked(declarations.open_source(intent), threading.Event())) as asked:
            for step in _steps(found, intent, declarations, asked, database):
                found = step
    except RivetError as error:
        return attrs.evolve(found, error=error)
    return found


def _steps(
    found: Preview, intent: Intent, declarations: Declarations, asked: Asked, database: StateDatabase | None
) -> Iterator[Preview]:
    """Yield what is known after each step, so that an error leaves what was known before it."""
    capabilities = declarations.destination.capabilities
    table = runner_table(intent, declarations.runners, declarations.source.capabilities, capabilities)
    found = attrs.evolve(found, runners=table)
    yield found
    seconds = intent.tuning.statement_timeout_s
    asked.answer(seconds, asked.source.check)
    identity = asked.answer(seconds, asked.source.identity)
    export = None if database is None else reads.find_export(database, intent.name, str(identity))
    found = attrs.evolve(found, source=str(identity))
    yield (found := found if export is None else _with_position(found, export))
    runner = choose_runner(intent, declarations.runners, declarations.source.capabilities, capabilities)
    intent = intent.served_by(runner.kind)
    schemas = asked.answer(seconds, partial(described, asked.source, runner, intent))
    found = attrs.evolve(found, schemas=tuple((spec.name, schema) for spec, schema in schemas))
    yield found
    facts = facts_of(intent, declarations, identity, schemas)
    plan = make_plan(intent, facts, runner, position=stored_position(None if export is None else export.position))
    yield (found := attrs.evolve(found, plan=plan))
    written = declarations.format_factory(intent)()
    for dataset in plan.datasets:
        written.check(dataset.schema)
    if database is not None and export is not None:
        yield from _against_state(found, plan, database, export, facts.destination_template)


def facts_of(
    intent: Intent,
    declarations: Declarations,
    identity: SourceIdentity,
    schemas: tuple[tuple[DatasetSpec, TableSchema], ...],
) -> Facts:
    """Return what planning needs beside the intent; the destination is only asked for its address."""
    with closing(declarations.open_destination(intent, intent.prefix)) as destination:
        template = destination.uri()
    return Facts(
        identity=identity,
        source=declarations.source.capabilities,
        destination=declarations.destination.capabilities,
        schemas=schemas,
        destination_template=template,
    )


def _with_position(found: Preview, export: ExportRow) -> Preview:
    position = stored_position(export.position)
    return found if position is None else attrs.evolve(found, position=position_text(position))


def _against_state(
    found: Preview, plan: Plan, database: StateDatabase, export: ExportRow, template: str
) -> Iterator[Preview]:
    """Yield what the state makes of the plan; raise what a run would end with."""
    intent = plan.intent
    drift = find_drift(export.drift, drift_baseline(plan.datasets))
    yield (found := attrs.evolve(found, drift=drift.changes))
    if plan.runner_capabilities.positioned:
        meaning = position_facts(intent, runner=plan.runner, destination_template=template)
        check_position(export.name, export.position_facts, meaning)
    if drift and intent.on_schema_drift == "fail":
        raise drift_error(intent, drift, "since the last success")
    run = reads.unfinished_run(database, export.id)
    if run is None:
        return
    # Whether clock or parameters differ is known only when a run freezes them.
    before = UnfinishedRun(fingerprint=run.fingerprint, recorded=reads.has_recorded(database, run.id), same_values=True)
    sealing = any(roll.phase == "sealing" for roll in reads.rolls(database, run.id))
    decision = decide(before, plan.fingerprint, resumable=plan.resumable, fresh=False)
    if decision.choice is Choice.REFUSE and not sealing:
        raise plan_changed(intent.name, run.id, decision)
    ends = "completes" if sealing else {Choice.RESUME: "resumes"}.get(decision.choice, "abandons")
    yield attrs.evolve(found, unfinished=run.id, unfinished_ends=ends)
