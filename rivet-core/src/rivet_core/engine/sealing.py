"""From complete units to a closed run: gates, manifests, and the ledger's steps 5 to 10 in their order."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.gates import GateContext, judge
from rivet_core.engine.gates.result import GateResult
from rivet_core.engine.gates.shape import shape_baseline
from rivet_core.events import GateJudged, PositionMoved, RunSealed
from rivet_core.ledger.advance import acknowledge, advance
from rivet_core.ledger.sealing import DatasetManifest, SealFacts, begin_sealing, complete_sealing
from rivet_core.manifest.build import build_manifest, extraction_of
from rivet_core.manifest.codec import encode
from rivet_core.manifest.model import Mode, Status, Writer
from rivet_core.manifest.names import run_manifest
from rivet_core.planning.identity import drift_baseline, position_facts
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rivet_core.engine.reconciling import UnitCount
    from rivet_core.errors import RivetError
    from rivet_core.events import Event
    from rivet_core.ledger.frozen import FrozenValues
    from rivet_core.ledger.run import RunLedger
    from rivet_core.manifest.counters import PartCounters
    from rivet_core.planning import DatasetPlan, Plan
    from rivet_core.state.rows import ExportRow
    from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class Sealing:
    """What sealing one run needs.

    :param export: as it was read at open.
    :param tell: tells the source what it may forget; None for one that delivers no changes.
    :param described: asks the source for the schemas again, in the baseline's form, or returns None.
    :param compression: the format's word for the manifest.
    :param destination_template: part of what a position means.
    :param counted: asks what the source counted of each unit; None when nobody wants to know.
    """

    plan: Plan
    run: RunLedger
    export: ExportRow
    frozen: FrozenValues
    tell: Callable[[Position], None] | None
    emit: Callable[[Event], None]
    described: Callable[[], str | None]
    compression: str
    destination_template: str
    counted: Callable[[], tuple[UnitCount, ...]] | None = None


@attrs.frozen(kw_only=True)
class SealedRoll:
    """How one roll ended.

    :param skipped: the run closed without a manifest, since it had no rows.
    :param failure: the failing gate's error.
    :param following: the next roll's number; None when the run is closed.
    """

    gates: tuple[GateResult, ...]
    failure: RivetError | None
    following: int | None
    skipped: bool = False


def seal_roll(sealing: Sealing, *, final: bool, skip: bool = False) -> SealedRoll:
    """Judge the open roll and take it through the durable order; a failing gate closes the run as failed.

    :param final: every unit is done, so the canonical pair is put and the run closes.
    :param skip: close the run as skipped, and leave the prefix untouched, unless a gate fails.
    """
    plan, run = sealing.plan, sealing.run
    # Merged once: what unique columns keep is large.
    counters = {dataset.name: run.counters(dataset.name) for dataset in plan.datasets}
    counted = None if sealing.counted is None else sealing.counted()
    shape = _widths_before(sealing)
    judgement = judge(
        GateContext(
            plan=plan,
            counters=tuple(counters.items()),
            baseline=sealing.export.drift,
            current=drift_baseline(plan.datasets),
            described=sealing.described,
            units_done=run.complete() or not final,
            shape=shape,
            unconfirmed=run.unconfirmed(),
            counted=counted,
        )
    )
    for result in judgement.results:
        event = GateJudged(**_ids(sealing), gate=result.gate, verdict=result.verdict, detail=result.detail)
        sealing.emit(event)
    run.access.probe("gates_judged")
    if skip and judgement.failure is None:
        run.skip()
        return SealedRoll(gates=judgement.results, failure=None, following=None, skipped=True)
    status = Status.SUCCESS if judgement.failure is None else Status.FAILED
    closes = final or judgement.failure is not None
    begin_sealing(
        run,
        verdict=status.value,
        final=closes,
        facts=_facts(sealing, counters, shape, success=judgement.failure is None),
        manifests=tuple(
            _manifest(
                sealing, dataset, counters[dataset.name], status, final=closes, source_rows=_counted_rows(counted)
            )
            for dataset in plan.datasets
        ),
    )
    roll = reads.rolls(run.access.database, run.run_id)[-1]
    sealed = complete_sealing(run.access, run.run_id, roll)
    totals = run.totals()
    sealing.emit(
        RunSealed(
            **_ids(sealing),
            roll=roll.number,
            manifest=run_manifest(run.run_id, None if roll.final else roll.number),
            rows=totals.rows,
            parts=totals.parts,
        )
    )
    following = advance(run.access, sealed)
    position = run.position()
    if judgement.failure is None and sealed.facts.position is not None and position is not None:
        sealing.emit(PositionMoved(**_ids(sealing), position=position))
        if sealing.tell is not None:
            acknowledge(run.access, run.export_id, sealing.tell)
    if following is not None:
        run.roll = following
    return SealedRoll(gates=judgement.results, failure=judgement.failure, following=following)


def _ids(sealing: Sealing) -> dict[str, str]:
    return {"export": sealing.plan.intent.name, "run_id": sealing.run.run_id}


def _counted_rows(counted: tuple[UnitCount, ...] | None) -> int | None:
    """Return the rows of the source, when all of them were counted."""
    rows = [unit.rows for unit in counted or ()]
    return sum(number for number in rows if number is not None) if rows and None not in rows else None


def _widths_before(sealing: Sealing) -> str | None:
    """Return the export's widths as they are now: a roll is compared with the ones before it."""
    row = reads.find_export(sealing.run.access.database, sealing.export.name, sealing.export.source)
    return None if row is None else row.shape


def _facts(sealing: Sealing, counters: Mapping[str, PartCounters], shape: str | None, *, success: bool) -> SealFacts:
    plan, run = sealing.plan, sealing.run
    capabilities = plan.runner_capabilities
    position = run.position() if plan.runner_capabilities.positioned and success else None
    meaning = position_facts(plan.intent, runner=plan.runner, destination_template=sealing.destination_template)
    return SealFacts(
        position=None if position is None else json.dumps(position.to_json()),
        position_facts=None if position is None else meaning,
        position_dataset=plan.datasets[0].name,
        drift=drift_baseline(plan.datasets),
        shape=shape_baseline(shape, counters.items(), whole=capabilities.whole_relation and capabilities.rolls is None),
        acknowledge=plan.runner_capabilities.changes and sealing.tell is not None,
    )


def _manifest(
    sealing: Sealing,
    dataset: DatasetPlan,
    counters: PartCounters,
    status: Status,
    *,
    final: bool,
    source_rows: int | None,
) -> DatasetManifest:
    plan, run = sealing.plan, sealing.run
    rolls = plan.runner_capabilities.rolls is not None
    position = run.position()
    manifest = build_manifest(
        dataset,
        run.recorded(dataset.name),
        counters,
        run_id=run.run_id,
        export_name=plan.intent.name,
        status=status,
        mode=Mode.CDC if plan.runner_capabilities.changes else Mode.BATCH,
        engine=plan.identity.engine,
        extraction=extraction_of(
            plan.runner,
            cursor_column=_cursor_column(plan),
            low=plan.position,
            high=position,
            source_rows=source_rows,
        ),
        destination_kind=plan.intent.destination.kind,
        destination_uri=run.access.destination.uri(),
        format=plan.intent.format.kind,
        compression=sealing.compression,
        started_at=sealing.frozen.started,
        finished_at=run.access.clock(),
        position=position,
        roll=run.roll if rolls else None,
        writer=Writer(name="rivet-core", version=version("rivet-core")),
    )
    return DatasetManifest(
        dataset=dataset.name,
        prefix=dataset.prefix,
        name=run_manifest(run.run_id, None if final else run.roll),
        data=encode(manifest),
    )


def _cursor_column(plan: Plan) -> str | None:
    """Return the column that a mode's options name so, for people and for the Rust tool."""
    named = getattr(plan.intent.mode.options, "cursor_column", None)
    return named if isinstance(named, str) else None
