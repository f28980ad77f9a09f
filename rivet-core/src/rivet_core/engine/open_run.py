"""Opening one export: leases, what an earlier process left, the plan, and the run, new or resumed."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import attrs

from rivet_core.config.prefix import resolve_prefix
from rivet_core.engine.gates.drift import drift_error
from rivet_core.engine.reader import SourceReader
from rivet_core.engine.reconciling import refuse_uncountable
from rivet_core.engine.unfinished import abandon_run, complete_unfinished_sealing
from rivet_core.engine.validation_mode import guard_prefix_mode
from rivet_core.errors import Place, RefusalError
from rivet_core.ledger.access import LedgerAccess
from rivet_core.ledger.advance import acknowledge
from rivet_core.ledger.attempts import attempted
from rivet_core.ledger.frozen import FrozenValues
from rivet_core.ledger.lease import export_lease, hold, prefix_lease
from rivet_core.ledger.naming import new_run_id
from rivet_core.ledger.opening import RunShape, find_or_make_export, open_new, resume
from rivet_core.ledger.resume import Choice, Decision, UnfinishedRun, decide
from rivet_core.manifest.model import Mode
from rivet_core.planning import Facts, Plan, choose_runner, make_plan
from rivet_core.planning.drift import find_drift
from rivet_core.planning.identity import drift_baseline, position_facts
from rivet_core.planning.position import check_position, stored_position
from rivet_core.protocols import ChangeSource
from rivet_core.requests.codec import relation_to_json
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rivet_core.engine.asking import Asked
    from rivet_core.engine.declarations import Declarations
    from rivet_core.engine.settings import Settings
    from rivet_core.hookspecs import DatasetSpec, RunnerType
    from rivet_core.ledger.run import RunLedger
    from rivet_core.protocols import Destination, Source
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema
    from rivet_core.state import StateDatabase
    from rivet_core.state.rows import ExportRow, RunRow
    from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class OpenedRun:
    """An open run and everything that was found out on the way.

    :param completed: earlier runs that only needed completing.
    :param abandoned: why an unfinished run was given up, or None.
    :param destination_template: the destination's address with placeholders unresolved.
    """

    plan: Plan
    run: RunLedger
    export: ExportRow
    frozen: FrozenValues
    resumed: bool
    completed: tuple[str, ...]
    abandoned: str | None
    destination_template: str


@attrs.frozen(kw_only=True)
class _Opening:
    intent: Intent
    declarations: Declarations
    settings: Settings
    asked: Asked
    access: LedgerAccess
    template: str

    def destination_at(self, prefix: str) -> Destination:
        return self.declarations.open_destination(self.intent, prefix)


@contextmanager
def open_run(
    intent: Intent, declarations: Declarations, database: StateDatabase, settings: Settings, asked: Asked
) -> Iterator[OpenedRun]:
    """Open the export's run; leases and destination are held for the length of the block.

    :param asked: the open source; the caller closes it.
    :raises RivetError: when the export cannot or must not run; nothing was read then.
    """
    identity = asked.ask(intent, asked.source.identity)
    started = settings.clock()
    prefix = resolve_prefix(intent.prefix, export=intent.name, started=started)
    with closing(declarations.open_destination(intent, intent.prefix)) as unresolved:
        template = unresolved.uri()
    with ExitStack() as stack:
        destination = stack.enter_context(closing(declarations.open_destination(intent, prefix)))
        keys = (export_lease(intent.name, str(identity)), prefix_lease(destination.uri()))
        fence = stack.enter_context(
            hold(database, keys, wait_seconds=settings.lock_wait_seconds, now=started, stop=settings.stop)
        )
        access = LedgerAccess(
            database=database,
            destination=destination,
            capabilities=declarations.destination.capabilities,
            fence=fence,
            clock=settings.clock,
            probe=settings.probe,
            put_attempts=intent.max_attempts,
            put_backoff_seconds=intent.retry_backoff_ms / 1000,
            stop=settings.stop,
        )
        access.probe("lease_granted")
        opening = _Opening(
            intent=intent,
            declarations=declarations,
            settings=settings,
            asked=asked,
            access=access,
            template=template,
        )
        frozen = FrozenValues(
            started=started,
            prefix=prefix,
            uri=destination.uri(),
            relation=json.dumps(relation_to_json(intent.relation)),
        )
        yield _open(opening, frozen, str(identity))


def _open(opening: _Opening, frozen: FrozenValues, identity: str) -> OpenedRun:
    intent, access, asked = opening.intent, opening.access, opening.asked
    export = find_or_make_export(access, intent.name, identity)
    completed = complete_unfinished_sealing(access, export, opening.destination_at)
    tell = telling(asked, intent)
    if tell is not None:
        acknowledge(access, export.id, tell)
    export = find_or_make_export(access, intent.name, identity)
    runner = choose_runner(
        intent,
        opening.declarations.runners,
        opening.declarations.source.capabilities,
        access.capabilities,
    )
    # Each runner of a mode has options of its own.
    intent = intent.served_by(runner.kind)
    opening = attrs.evolve(opening, intent=intent)
    plan = _plan(opening, runner, export)
    if opening.settings.reconcile:
        refuse_uncountable(plan)
    if access.capabilities.readable:
        for dataset in plan.datasets:
            mode = Mode.CDC if runner.capabilities.changes else Mode.BATCH
            attempted(access, dataset.prefix, partial(guard_prefix_mode, access.destination, mode, dataset.prefix))
    shape = _shape(opening, plan)
    unfinished = reads.unfinished_run(access.database, export.id)
    decision = None if unfinished is None else _decide(opening, plan, unfinished, frozen)
    if unfinished is not None and decision is not None and decision.choice is Choice.RESUME:
        ledger = resume(access, unfinished, shape=shape)
        frozen = FrozenValues.from_json(unfinished.frozen)
    else:
        if unfinished is not None:
            abandon_run(access, unfinished, opening.destination_at, opening.settings.staging)
        planned = runner.factory(intent.mode.options).units
        units = asked.ask(intent, lambda: tuple(planned(SourceReader(asked.source, plan))))
        run_id = new_run_id(intent.name, frozen.started)
        ledger = open_new(access, export, run_id=run_id, shape=shape, frozen=frozen, units=units)
    resumed = decision is not None and decision.choice is Choice.RESUME
    return OpenedRun(
        plan=plan,
        run=ledger,
        export=export,
        frozen=frozen,
        resumed=resumed,
        completed=() if completed is None else (completed,),
        abandoned=None if resumed or decision is None or unfinished is None else f"{unfinished.id}: {decision.reason}",
        destination_template=opening.template,
    )


def _plan(opening: _Opening, runner: RunnerType, export: ExportRow) -> Plan:
    intent, asked = opening.intent, opening.asked
    plan = make_plan(
        intent,
        Facts(
            identity=asked.ask(intent, asked.source.identity),
            source=opening.declarations.source.capabilities,
            destination=opening.access.capabilities,
            schemas=asked.ask(intent, lambda: described(asked.source, runner, intent)),
            destination_template=opening.template,
        ),
        runner,
        position=stored_position(export.position),
    )
    if runner.capabilities.positioned:
        _check_position(opening, plan, export)
    current = drift_baseline(plan.datasets)
    drift = find_drift(export.drift, current)
    if drift and intent.on_schema_drift == "fail":
        raise drift_error(intent, drift, "since the last success")
    return plan


def described(source: Source, runner: RunnerType, intent: Intent) -> tuple[tuple[DatasetSpec, TableSchema], ...]:
    """Return the datasets of a runner with the schemas that the source has now."""
    return tuple((spec, source.describe(spec.relation, intent.rules)) for spec in runner.datasets(intent))


def telling(asked: Asked, intent: Intent) -> Callable[[Position], None] | None:
    """Return what tells a source that delivers changes what it may forget, or None for any other."""
    source = asked.source
    if not isinstance(source, ChangeSource):
        return None
    return lambda position: asked.ask(intent, partial(source.acknowledge, position))


def _check_position(opening: _Opening, plan: Plan, export: ExportRow) -> None:
    meaning = position_facts(plan.intent, runner=plan.runner, destination_template=opening.template)
    check_position(export.name, export.position_facts, meaning)
    foreign = opening.settings.foreign_state
    if export.position is None and foreign is not None and foreign.exists():
        msg = f"another tool's state lies at {foreign.name}, and export {export.name} has no position of ours"
        raise RefusalError(
            msg,
            code="RIVET_STATE_FOREIGN_POSITION",
            place=Place(file=str(foreign), path=f"exports.{export.name}"),
            remedy="move that file away to export everything once from the beginning",
        )


def _shape(opening: _Opening, plan: Plan) -> RunShape:
    written = opening.declarations.format_factory(opening.intent)()
    for dataset in plan.datasets:
        written.check(dataset.schema)
    return RunShape(
        fingerprint=plan.fingerprint,
        prefixes={dataset.name: dataset.prefix for dataset in plan.datasets},
        extension=written.extension,
    )


def _decide(opening: _Opening, plan: Plan, unfinished: RunRow, frozen: FrozenValues) -> Decision:
    before = FrozenValues.from_json(unfinished.frozen)
    decision = decide(
        UnfinishedRun(
            fingerprint=unfinished.fingerprint,
            recorded=reads.has_recorded(opening.access.database, unfinished.id),
            same_values=before.same_apart_from_clock(frozen),
        ),
        plan.fingerprint,
        resumable=plan.resumable,
        fresh=opening.settings.fresh,
    )
    if decision.choice is Choice.REFUSE:
        raise plan_changed(plan.intent.name, unfinished.id, decision)
    return decision


def plan_changed(export: str, run_id: str, decision: Decision) -> RefusalError:
    """Return the error of an unfinished run that can be neither resumed nor quietly abandoned."""
    msg = f"the unfinished run {run_id} has recorded parts and was planned differently: {decision.reason}"
    return RefusalError(
        msg,
        code="RIVET_STATE_PLAN_CHANGED",
        place=Place(path=f"exports.{export}"),
        remedy="restore the configuration or the source's schema and run once, or start anew with --fresh",
    )
