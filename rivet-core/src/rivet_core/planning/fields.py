"""The Arrow schema of the files: the source's columns with their provenance, then the meta columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.types import Column


def file_schema(columns: Iterable[Column], *, exported_at: bool, row_hash: bool) -> pa.Schema:
    """Return the schema that every file of a dataset has."""
    fields = [_with_provenance(column) for column in columns]
    if exported_at:
        fields.append(pa.field(EXPORTED_AT, pa.timestamp("us", tz="UTC")))
    if row_hash:
        fields.append(pa.field(ROW_HASH, pa.int64()))
    return pa.schema(fields)


def _with_provenance(column: Column) -> pa.Field:
    metadata = dict(column.field.metadata or {})
    metadata[b"rivet.native_type"] = column.native_type.encode()
    metadata[b"rivet.fidelity"] = column.fidelity.value.encode()
    return column.field.with_metadata(metadata)
