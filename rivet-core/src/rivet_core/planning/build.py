"""From intent, facts and state to a plan, with every refusal that needs no reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.capabilities import Restart
from rivet_core.errors import Place, UsageError
from rivet_core.manifest.row_hash import is_hashable
from rivet_core.planning.fields import file_schema
from rivet_core.planning.identity import plan_fingerprint
from rivet_core.planning.judged import refuse_unjudgeable
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH, DatasetPlan, Plan
from rivet_core.planning.wishes import refuse_unknown_columns
from rivet_core.requests import HIDDEN_PREFIX
from rivet_core.types import Fidelity

if TYPE_CHECKING:
    from rivet_core.capabilities import DestinationCapabilities, SourceCapabilities
    from rivet_core.hookspecs import DatasetSpec, RunnerType
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema
    from rivet_core.types import Position, SourceIdentity


@attrs.frozen(kw_only=True)
class Facts:
    """What source and destination said.

    :param schemas: what ``describe`` said of each dataset's relation, in the order of the datasets.
    :param destination_template: the destination's address with the prefix's placeholders unresolved.
    """

    identity: SourceIdentity
    source: SourceCapabilities
    destination: DestinationCapabilities
    schemas: tuple[tuple[DatasetSpec, TableSchema], ...]
    destination_template: str


def make_plan(intent: Intent, facts: Facts, runner: RunnerType, *, position: Position | None) -> Plan:
    """Return the plan.

    :param position: the export's high-water mark.
    :raises UsageError: when a column cannot be delivered as wished, or a name collides.
    """
    refuse_unknown_columns(intent, facts.schemas)
    datasets = tuple(_dataset(intent, spec, schema, named=len(facts.schemas) > 1) for spec, schema in facts.schemas)
    refuse_unjudgeable(intent, datasets, facts.destination)
    single = not facts.destination.durable
    parallel = runner.capabilities.parallel and runner.capabilities.rolls is None and not single
    estimates = [schema.estimated_rows for _, schema in facts.schemas]
    return Plan(
        intent=intent,
        identity=facts.identity,
        runner=runner.kind,
        runner_capabilities=runner.capabilities,
        restart=facts.source.restart,
        datasets=datasets,
        fingerprint=plan_fingerprint(
            intent,
            source=facts.identity,
            runner=runner.kind,
            datasets=datasets,
            destination_template=facts.destination_template,
        ),
        position=position if runner.capabilities.positioned else None,
        workers=intent.workers if parallel else 1,
        estimated_rows=sum(rows for rows in estimates if rows is not None) if None not in estimates else None,
        one_part=single,
        warnings=_warnings(intent, facts),
    )


def _dataset(intent: Intent, spec: DatasetSpec, schema: TableSchema, *, named: bool) -> DatasetPlan:
    names = [column.name for column in schema.columns]
    _refuse_twins(spec, names)
    _refuse_collisions(intent, names)
    _refuse_fidelity(intent, spec, schema)
    covered = None if intent.row_hash is None else (intent.row_hash or tuple(names))
    _refuse_unhashable(intent, spec, schema, covered or ())
    return DatasetPlan(
        name=spec.name,
        prefix=f"{spec.name}/" if named or spec.name else "",
        relation=spec.relation,
        columns=schema.columns,
        schema=file_schema(schema.columns, exported_at=intent.exported_at, row_hash=covered is not None),
        row_hash=covered,
        exported_at=intent.exported_at,
    )


def _refuse_unhashable(intent: Intent, spec: DatasetSpec, schema: TableSchema, covered: tuple[str, ...]) -> None:
    bad = [
        f"{column.name} ({column.field.type})"
        for column in schema.columns
        if column.name in covered and not is_hashable(column.field.type)
    ]
    if bad:
        msg = f"the row hash cannot cover {', '.join(bad)}"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=Place(path=f"exports.{intent.name}.meta_columns.row_hash", relation=str(spec.relation)),
            remedy="list the other columns, or cast these to text",
        )


def _refuse_twins(spec: DatasetSpec, names: list[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        msg = f"several columns are called {', '.join(twice)}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(relation=str(spec.relation)),
            remedy="give each column a name of its own with AS",
        )


def _refuse_collisions(intent: Intent, names: list[str]) -> None:
    meta = [EXPORTED_AT] * intent.exported_at + [ROW_HASH] * (intent.row_hash is not None)
    taken = [name for name in names if name in meta or name.startswith(HIDDEN_PREFIX)]
    if taken:
        msg = f"the relation has columns with names that rivet uses: {', '.join(taken)}"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_META_COLUMN_COLLISION",
            place=Place(path=f"exports.{intent.name}.meta_columns", relation=str(intent.relation)),
            remedy="switch the meta column off, or rename the column in a query",
        )


def _refuse_fidelity(intent: Intent, spec: DatasetSpec, schema: TableSchema) -> None:
    refused = {Fidelity.UNSUPPORTED}
    if intent.strict:
        refused |= {Fidelity.LOSSY, Fidelity.TEXT}
    bad = [column for column in schema.columns if column.fidelity in refused]
    if bad:
        listed = "; ".join(
            f"{column.name} ({column.native_type}) is {column.fidelity.value}"
            + (f", {column.remark}" if column.remark else "")
            for column in bad
        )
        msg = f"columns without a safe mapping: {listed}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(path=f"exports.{intent.name}", relation=str(spec.relation)),
            remedy="override them under columns:, cast them in a query, or leave out --strict",
        )


def _warnings(intent: Intent, facts: Facts) -> tuple[str, ...]:
    warnings = []
    if facts.source.restart is Restart.NEVER:
        warnings.append("the source can be read once only: one attempt, and a broken run is not resumed")
    if not facts.destination.durable:
        warnings.append(f"the destination {intent.destination.kind} keeps nothing: no manifest is written")
    warnings += [f"{spec.relation}: {remark}" for spec, schema in facts.schemas for remark in schema.remarks]
    return tuple(warnings)
