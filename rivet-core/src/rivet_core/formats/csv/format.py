"""The configured format: what it can hold, its writers and its readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from rivet_core.errors import IntegrityError, Place, UsageError
from rivet_core.formats.csv.cells import objection, parse
from rivet_core.formats.csv.laid_out import TEXT
from rivet_core.formats.csv.records import columns_of
from rivet_core.formats.csv.writer import CsvPart

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rivet_core.formats.csv.options import CsvOptions


class CsvFormat:
    """Text by RFC 4180 in UTF-8; every value that is written can be read back exactly."""

    extension = "csv"

    def __init__(self, options: CsvOptions) -> None:
        self._options = options

    def check(self, schema: pa.Schema) -> None:
        refused = [(field.name, why) for field in schema if (why := objection(field.type))]
        if refused:
            listed = "; ".join(f"{name}: {why}" for name, why in refused)
            msg = f"CSV cannot hold {len(refused)} of the columns exactly: {listed}"
            remedy = "Choose format: parquet, convert the columns to text in a query, or leave them out."
            raise _unsupported(msg, field=refused[0][0], remedy=remedy)
        if not len(schema):
            msg = "CSV cannot hold rows without columns"
            raise _unsupported(msg, field=None, remedy="Choose format: parquet.")

    def writer(self, out: BinaryIO, schema: pa.Schema) -> CsvPart:
        return CsvPart(out, schema, self._options)

    def compression(self) -> str:
        return "none"

    def reader(self, path: Path, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        try:
            with path.open("rb") as file:
                yield from self._batches(file, schema)
        except ValueError as error:
            msg = f"{path.name} is no CSV file of the planned columns: {error}"
            remedy = "Compare the options of format: with those that the file was written with."
            raise IntegrityError(msg, code="RIVET_VALIDATE_FAILED", remedy=remedy) from error

    def _batches(self, file: BinaryIO, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        header = self._options.header
        for fields in columns_of(file, self._options, len(schema)):
            columns = [column.cast(TEXT) for column in fields]
            if header:
                names = [column[0].as_py() for column in columns]
                if names != schema.names:
                    msg = f"the columns are {', '.join(map(str, names))} instead of {', '.join(schema.names)}"
                    raise ValueError(msg)
                columns = [column.slice(1) for column in columns]
                header = False
            if len(columns[0]):
                arrays = [_parsed(column, field) for column, field in zip(columns, schema, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)
        if header:
            msg = "the file is empty, and has not even the columns' names"
            raise ValueError(msg)


def _parsed(cells: pa.LargeStringArray, field: pa.Field) -> pa.Array:
    try:
        return parse(cells, field.type)
    except ValueError as error:
        msg = f"column {field.name}: {error}"
        raise ValueError(msg) from error


def _unsupported(message: str, *, field: str | None, remedy: str) -> UsageError:
    code = "RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED"
    return UsageError(message, code=code, place=None if field is None else Place(field=field), remedy=remedy)
