"""The configured format: what it can hold, its writers and its readers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from rivet_core.errors import IntegrityError, Place, UsageError
from rivet_core.formats.parquet.writer import ParquetPart, no_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rivet_core.formats.parquet.options import ParquetOptions

_READ_ROWS: Final = 65_536


class ParquetFormat:
    """Parquet 2.6 with plain and dictionary encodings, which every reader of the format knows."""

    extension = "parquet"

    def __init__(self, options: ParquetOptions) -> None:
        self._options = options
        self._codec, self._level = options.codec()

    def check(self, schema: pa.Schema) -> None:
        refused = [(field.name, why) for field in schema if (why := _objection(field))]
        if not refused:
            return
        listed = "; ".join(f"{name}: {why}" for name, why in refused)
        msg = f"Parquet cannot hold {len(refused)} of the columns exactly: {listed}"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED",
            place=Place(field=refused[0][0]),
            remedy="Convert the columns in a query, or give them a type such as text under columns:.",
        )

    def writer(self, out: BinaryIO, schema: pa.Schema) -> ParquetPart:
        return ParquetPart(out, schema, codec=self._codec, level=self._level, groups=self._options.parquet)

    def compression(self) -> str:
        return self._codec

    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        with pq.ParquetFile(path, pre_buffer=False) as file:
            found = file.schema_arrow
            if not found.equals(schema, check_metadata=False):
                msg = f"{path.name} has other columns than planned: {_difference(found, schema)}"
                remedy = "Find out what wrote over the part, then export again."
                raise IntegrityError(msg, code="RIVET_VALIDATE_FAILED", remedy=remedy)
            for batch in file.iter_batches(batch_size=_READ_ROWS, use_threads=False):
                yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)


def _objection(field: pa.Field) -> str | None:
    """Return why a column would not come back as it went in, by trying it with no rows."""
    schema = pa.schema([field])
    out = io.BytesIO()
    try:
        with pq.ParquetWriter(out, schema) as writer:
            writer.write_table(no_rows(schema))
        found = pq.read_schema(io.BytesIO(out.getvalue())).field(0).type
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        return f"{field.type} ({str(error).splitlines()[0]})"
    return None if found == field.type else f"{field.type} would come back as {found}"


def _difference(found: pa.Schema, wanted: pa.Schema) -> str:
    if found.names != wanted.names:
        return f"{', '.join(found.names)} instead of {', '.join(wanted.names)}"
    pairs = zip(found, wanted, strict=True)
    return ", ".join(f"{have.name} is {have.type}, not {want.type}" for have, want in pairs if have.type != want.type)
