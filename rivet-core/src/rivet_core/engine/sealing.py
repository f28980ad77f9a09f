"""From complete units to a closed run: gates, manifests, and the ledger's steps 5 to 10 in their order."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.gates import GateContext, judge
from rivet_core.engine.gates.result import GateResult
from rivet_core.events import GateJudged, PositionMoved, RunSealed
from rivet_core.ledger.advance import acknowledge, advance
from rivet_core.ledger.sealing import DatasetManifest, SealFacts, begin_sealing, complete_sealing
from rivet_core.manifest.build import build_manifest, extraction_of
from rivet_core.manifest.codec import encode
from rivet_core.manifest.model import Mode, Status, Writer
from rivet_core.manifest.names import run_manifest
from rivet_core.planning.identity import drift_baseline, position_facts
from rivet_core.protocols import ChangeSource
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.errors import RivetError
    from rivet_core.events import Event
    from rivet_core.ledger.frozen import FrozenValues
    from rivet_core.ledger.run import RunLedger
    from rivet_core.planning import DatasetPlan, Plan
    from rivet_core.protocols import Source
    from rivet_core.state.rows import ExportRow


@attrs.frozen(kw_only=True)
class Sealing:
    """What sealing one run needs.

    :param export: as it was read at open.
    :param described: asks the source for the schemas again, in the baseline's form, or returns None.
    :param compression: the format's word for the manifest.
    :param destination_template: part of what a position means.
    """

    plan: Plan
    run: RunLedger
    export: ExportRow
    frozen: FrozenValues
    source: Source
    emit: Callable[[Event], None]
    described: Callable[[], str | None]
    compression: str
    destination_template: str


@attrs.frozen(kw_only=True)
class SealedRoll:
    """How one roll ended.

    :param failure: the failing gate's error.
    :param following: the next roll's number; None when the run is closed.
    """

    gates: tuple[GateResult, ...]
    failure: RivetError | None
    following: int | None


def seal_roll(sealing: Sealing, *, final: bool) -> SealedRoll:
    """Judge the open roll and take it through the durable order; a failing gate closes the run as failed.

    :param final: every unit is done, so the canonical pair is put and the run closes.
    """
    plan, run = sealing.plan, sealing.run
    judgement = judge(
        GateContext(
            plan=plan,
            counters=tuple((dataset.name, run.counters(dataset.name)) for dataset in plan.datasets),
            baseline=sealing.export.drift,
            current=drift_baseline(plan.datasets),
            described=sealing.described,
            units_done=run.complete() or not final,
        )
    )
    for result in judgement.results:
        event = GateJudged(**_ids(sealing), gate=result.gate, verdict=result.verdict, detail=result.detail)
        sealing.emit(event)
    run.access.probe("gates_judged")
    status = Status.SUCCESS if judgement.failure is None else Status.FAILED
    closes = final or judgement.failure is not None
    begin_sealing(
        run,
        verdict=status.value,
        final=closes,
        facts=_facts(sealing, success=judgement.failure is None),
        manifests=tuple(_manifest(sealing, dataset, status, final=closes) for dataset in plan.datasets),
    )
    roll = reads.rolls(run.access.database, run.run_id)[-1]
    sealed = complete_sealing(run.access, run.run_id, roll)
    recorded = run.recorded()
    sealing.emit(
        RunSealed(
            **_ids(sealing),
            roll=roll.number,
            manifest=run_manifest(run.run_id, None if roll.final else roll.number),
            rows=sum(part.rows for part in recorded),
            parts=len(recorded),
        )
    )
    following = advance(run.access, sealed)
    position = run.position()
    if judgement.failure is None and sealed.facts.position is not None and position is not None:
        sealing.emit(PositionMoved(**_ids(sealing), position=position))
        if isinstance(sealing.source, ChangeSource):
            acknowledge(run.access, run.export_id, sealing.source.acknowledge)
    if following is not None:
        run.roll = following
    return SealedRoll(gates=judgement.results, failure=judgement.failure, following=following)


def _ids(sealing: Sealing) -> dict[str, str]:
    return {"export": sealing.plan.intent.name, "run_id": sealing.run.run_id}


def _facts(sealing: Sealing, *, success: bool) -> SealFacts:
    plan, run = sealing.plan, sealing.run
    position = run.position() if plan.runner_capabilities.positioned and success else None
    meaning = position_facts(plan.intent, runner=plan.runner, destination_template=sealing.destination_template)
    widths = {dataset.name: dict(run.counters(dataset.name).widths) for dataset in plan.datasets}
    return SealFacts(
        position=None if position is None else json.dumps(position.to_json()),
        position_facts=None if position is None else meaning,
        position_dataset=plan.datasets[0].name,
        drift=drift_baseline(plan.datasets),
        shape=json.dumps(widths, sort_keys=True),
        acknowledge=plan.runner_capabilities.changes and isinstance(sealing.source, ChangeSource),
    )


def _manifest(sealing: Sealing, dataset: DatasetPlan, status: Status, *, final: bool) -> DatasetManifest:
    plan, run = sealing.plan, sealing.run
    rolls = plan.runner_capabilities.rolls is not None
    position = run.position()
    manifest = build_manifest(
        dataset,
        run.recorded(dataset.name),
        run.counters(dataset.name),
        run_id=run.run_id,
        export_name=plan.intent.name,
        status=status,
        mode=Mode.CDC if plan.runner_capabilities.changes else Mode.BATCH,
        engine=plan.identity.engine,
        extraction=extraction_of(plan.runner, low=plan.position, high=position),
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
