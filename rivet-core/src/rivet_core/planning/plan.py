"""The plan: everything that a run's units, sink, gates and ledger need to know, frozen before the first row."""

from __future__ import annotations

import attrs
import pyarrow as pa

from rivet_core.capabilities import Restart, RunnerCapabilities
from rivet_core.requests import Intent
from rivet_core.types import Column, Position, Relation, SourceIdentity

EXPORTED_AT = "_rivet_exported_at"
ROW_HASH = "_rivet_row_hash"


@attrs.frozen(kw_only=True)
class DatasetPlan:
    """One output of the run.

    :param name: empty for the only one.
    :param prefix: key prefix below the destination's own, empty or ending in ``/``.
    :param columns: as the source delivers them.
    :param schema: the Arrow schema of the files: the columns, then the meta columns; fields carry the metadata keys
        ``rivet.native_type`` and ``rivet.fidelity``.
    :param checksum_key: the column that column checksums are keyed by.
    :param row_hash: the covered columns, or None for no row hash.
    """

    name: str
    prefix: str
    relation: Relation
    columns: tuple[Column, ...]
    schema: pa.Schema
    checksum_key: str | None = None
    row_hash: tuple[str, ...] | None = None
    exported_at: bool = False

    @property
    def source_schema(self) -> pa.Schema:
        """What each batch is checked against."""
        return pa.schema([column.field for column in self.columns])


@attrs.frozen(kw_only=True)
class Plan:
    """What one run of one export will do.

    :param identity: the source that was planned against.
    :param runner: the runner's kind.
    :param restart: from where a broken read begins again.
    :param fingerprint: the plan's identity as text, see :mod:`rivet_core.planning.identity`.
    :param position: the export's position when the plan was made.
    :param workers: units at one time, after what the runner and the destination allow.
    :param warnings: for the report.
    """

    intent: Intent
    identity: SourceIdentity
    runner: str
    runner_capabilities: RunnerCapabilities
    restart: Restart
    datasets: tuple[DatasetPlan, ...]
    fingerprint: str
    position: Position | None = None
    workers: int = 1
    estimated_rows: int | None = None
    one_part: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def resumable(self) -> bool:
        """Whether another process may continue a run of this plan.

        Units that are valid in one snapshot live and die with it.
        """
        return self.restart is not Restart.NEVER and not self.runner_capabilities.snapshot

    def dataset(self, name: str) -> DatasetPlan | None:
        """Return the dataset of that name."""
        return next((dataset for dataset in self.datasets if dataset.name == name), None)

    @property
    def columns(self) -> dict[str, Column]:
        """Every column of every dataset by name, for decoding stored units."""
        return {column.name: column for dataset in self.datasets for column in dataset.columns}
