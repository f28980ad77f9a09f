"""The meta columns behind the source's own: when the run was, and a hash of each row."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import pyarrow as pa

from rivet_core.errors import InternalError
from rivet_core.manifest.row_hash import row_hashes
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH, DatasetPlan

#: Rows that are hashed at a time: their texts are several times their size, and a row group of them would show.
_HASHED_ROWS: Final = 32_768


def with_meta(data: pa.RecordBatch, dataset: DatasetPlan, exported_at: datetime) -> pa.RecordBatch:
    """Return the rows as the file has them: the plan's schema with its metadata and meta columns.

    :param data: the source's columns, checked.
    """
    fields = list(dataset.schema)[data.num_columns :]
    meta = [_meta_column(field, data, dataset, exported_at) for field in fields]
    return pa.RecordBatch.from_arrays([*data.columns, *meta], schema=dataset.schema)


def _meta_column(field: pa.Field, data: pa.RecordBatch, dataset: DatasetPlan, exported_at: datetime) -> pa.Array:
    if field.name == EXPORTED_AT:
        return pa.repeat(pa.scalar(exported_at, type=field.type), data.num_rows)
    if field.name == ROW_HASH and dataset.row_hash is not None:
        return _hashes(data, dataset.row_hash or tuple(data.schema.names))
    msg = f"the plan has the meta column {field.name!r}, which the sink does not know"
    raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")


def _hashes(data: pa.RecordBatch, covered: tuple[str, ...]) -> pa.Array:
    begins = range(0, data.num_rows, _HASHED_ROWS)
    found = [row_hashes(data.slice(begin, _HASHED_ROWS), covered) for begin in begins]
    return found[0] if len(found) == 1 else pa.concat_arrays(found)
