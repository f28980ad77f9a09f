"""One export, from its intent to its outcome."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING

import attrs
import structlog

from rivet_core.capabilities import Restart
from rivet_core.engine.asking import Asked
from rivet_core.engine.bugs import bug
from rivet_core.engine.empty import write_empty_files
from rivet_core.engine.open_run import OpenedRun, open_run, telling
from rivet_core.engine.producer import LocalProducer, ProducerNeeds
from rivet_core.engine.reconciling import SourceCounts
from rivet_core.engine.sealing import Sealing, seal_roll
from rivet_core.engine.sink import Recipe
from rivet_core.engine.staging import staging_folder
from rivet_core.engine.tally import Tally
from rivet_core.engine.units import UnitReading, read_units
from rivet_core.errors import InternalError, RivetError, SnapshotGone, StaleWriter
from rivet_core.events import RunOpened, Warned
from rivet_core.ledger.run import EMPTY_UNIT
from rivet_core.planning.identity import drift_baseline
from rivet_core.protocols import SnapshotSource
from rivet_core.requests import decode_unit
from rivet_core.state import reads

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rivet_core.engine.declarations import Declarations
    from rivet_core.engine.outcome import Outcome
    from rivet_core.engine.reconciling import UnitCount
    from rivet_core.engine.settings import Settings
    from rivet_core.ledger.run import RunLedger
    from rivet_core.planning import Plan
    from rivet_core.requests import Intent
    from rivet_core.state import StateDatabase
    from rivet_core.types import Snapshot

log = structlog.get_logger("rivet.engine")

#: How often a run is started anew because its snapshot died.
_SNAPSHOT_STARTS = 3


class _GateClosedRun(Exception):
    """A gate failed at the end of a roll: the run is closed and reading must end."""

    def __init__(self, error: RivetError) -> None:
        super().__init__(error.message)
        self.error = error


def run_export(intent: Intent, declarations: Declarations, database: StateDatabase, settings: Settings) -> Outcome:
    """Run one export to its end.

    Every failure is in the outcome; what comes out as an exception is a request to stop the process.

    :param database: open; borrowed.
    """
    began = time.monotonic()
    tally = Tally(intent.name, settings)
    for start in range(1, _SNAPSHOT_STARTS + 1):
        try:
            outcome = _run_once(_Run(intent, declarations, database, settings, tally), began)
        except SnapshotGone as error:
            if start < _SNAPSHOT_STARTS:
                log.warning("snapshot_gone", export=intent.name, start=start)
                continue
            outcome = tally.outcome("open", error)
        except RivetError as error:
            outcome = tally.outcome("open", error)
        except Exception as error:  # noqa: BLE001 - it is in the outcome, with what it was raised from
            outcome = tally.outcome("open", bug(error))
        break
    return attrs.evolve(outcome, seconds=time.monotonic() - began)


@attrs.frozen
class _Run:
    intent: Intent
    declarations: Declarations
    database: StateDatabase
    settings: Settings
    tally: Tally


def _run_once(run: _Run, began: float) -> Outcome:
    with ExitStack() as stack:
        asked = stack.enter_context(closing(Asked(run.declarations.open_source(run.intent), run.settings.stop)))
        opened = stack.enter_context(open_run(run.intent, run.declarations, run.database, run.settings, asked))
        run.tally.begin(opened)
        _announce(run, opened)
        try:
            status, error = _read_and_seal(run, opened, asked, stack)
        except SnapshotGone:
            raise
        except RivetError as broken:
            status, error = "open", _superseded(opened) or broken
        except Exception as broken:  # noqa: BLE001 - it is in the outcome, with what it was raised from
            status, error = "open", _superseded(opened) or bug(broken)
        outcome = attrs.evolve(run.tally.outcome(status, error), seconds=time.monotonic() - began)
        return run.tally.close(outcome)


def _announce(run: _Run, opened: OpenedRun) -> None:
    ids = {"export": run.intent.name, "run_id": opened.run.run_id}
    run.tally.emit(
        RunOpened(
            **ids,
            runner=opened.plan.runner,
            source=str(opened.plan.identity),
            units=opened.run.unit_count(),
            resumed=opened.resumed,
            estimated_rows=opened.plan.estimated_rows,
            resumable=opened.plan.resumable,
        )
    )
    for message in opened.plan.warnings:
        run.tally.emit(Warned(**ids, code="RIVET_PLAN_WARNING", message=message))
    if opened.abandoned is not None:
        message = f"an unfinished run was abandoned, nothing of it is lost: {opened.abandoned}"
        run.tally.emit(Warned(**ids, code="RIVET_RUN_ABANDONED", message=message))


def _read_and_seal(run: _Run, opened: OpenedRun, asked: Asked, stack: ExitStack) -> tuple[str, RivetError | None]:
    """Read what is left of the run and close it; return its status and a failing gate's error."""
    plan, ledger, settings = opened.plan, opened.run, run.settings
    staging = stack.enter_context(
        staging_folder(ledger.access.destination, settings.staging, ledger.run_id, ledger.access.fence.token)
    )
    recipe = Recipe(
        plan=plan,
        exported_at=opened.frozen.started,
        staging=staging,
        format=run.declarations.format_factory(run.intent),
    )
    needs = ProducerNeeds(
        open_source=partial(run.declarations.source.factory, run.intent.source.options), recipe=recipe
    )
    producer = stack.enter_context(closing((settings.make_producer or LocalProducer)(needs)))
    snapshot = None
    if plan.runner_capabilities.snapshot and isinstance(asked.source, SnapshotSource):
        held, snapshot = asked.ask(plan.intent, partial(_hold, asked.source))
        stack.push(held)
    counts = None
    if settings.reconcile:
        counts = SourceCounts(needs.open_source, snapshot, plan.intent.tuning.statement_timeout_s)
    sealing = Sealing(
        plan=plan,
        run=ledger,
        export=opened.export,
        frozen=opened.frozen,
        tell=telling(asked, plan.intent),
        emit=run.tally.emit,
        described=partial(_described, plan, asked),
        compression=recipe.format().compression(),
        destination_template=opened.destination_template,
        counted=None if counts is None else partial(_counted, counts, ledger, plan),
    )
    try:
        read_units(
            UnitReading(
                plan=plan,
                run=ledger,
                producer=producer,
                emit=run.tally.emit,
                stop=settings.stop,
                end_roll=partial(_end_roll, sealing),
                snapshot=snapshot,
                counts=counts,
            ),
            ledger.units(plan.columns),
        )
    except _GateClosedRun as closed:
        return "failed", closed.error
    ledger.access.probe("units_complete")
    skip = run.intent.skip_empty and _stays_empty(plan, opened)
    if not skip and plan.runner_capabilities.whole_relation and _stays_empty(plan, opened):
        write_empty_files(ledger, recipe)
    sealed = seal_roll(sealing, final=True, skip=skip)
    if sealed.failure is not None:
        return "failed", sealed.failure
    return ("skipped" if sealed.skipped else "success"), None


def _hold(source: SnapshotSource) -> tuple[AbstractContextManager[Snapshot], Snapshot]:
    """Enter a new snapshot; one that is entered too late dies with the source's connection."""
    held = source.snapshot()
    return held, held.__enter__()


def _end_roll(sealing: Sealing) -> int:
    sealed = seal_roll(sealing, final=False)
    if sealed.failure is not None or sealed.following is None:
        raise _GateClosedRun(sealed.failure or InternalError("a roll ended its run", code="RIVET_INTERNAL_LEDGER"))
    return sealed.following


def _counted(counts: SourceCounts, ledger: RunLedger, plan: Plan) -> tuple[UnitCount, ...]:
    """Return what the source counted of every unit of the run, beside the rows of its parts."""
    recorded = ledger.rows_by_unit()
    rows = [row for row in reads.units(ledger.access.database, ledger.run_id) if row.id != EMPTY_UNIT]
    return counts.of((decode_unit(row.request, plan.columns), recorded.get(row.id, 0)) for row in rows)


def _superseded(opened: OpenedRun) -> StaleWriter | None:
    """Return that another process took over, if it did: whatever else went wrong then followed from it."""
    access = opened.run.access
    try:
        with access.transaction():
            return None
    except StaleWriter as stale:
        return stale
    except RivetError:
        return None


def _stays_empty(plan: Plan, opened: OpenedRun) -> bool:
    if plan.runner_capabilities.changes:
        return False
    return opened.run.all_totals().rows == 0


def _described(plan: Plan, asked: Asked) -> str | None:
    """Return the schemas as the source has them now, or None where it can be asked only once."""
    if plan.restart is Restart.NEVER:
        return None

    def described() -> str:
        return drift_baseline(
            attrs.evolve(dataset, columns=asked.source.describe(dataset.relation, plan.intent.rules).columns)
            for dataset in plan.datasets
        )

    # Its connection was idle while the units were read, so it may have died with nobody noticing.
    return asked.ask(plan.intent, described)
