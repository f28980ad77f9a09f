"""Writes one Parquet file, front to back."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from rivet_core.formats.parquet.dictionary import worth_a_dictionary
from rivet_core.formats.parquet.grouping import RowGrouper

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rivet_core.formats.parquet.options import RowGroups

_BUFFER: Final = 4 * 1024 * 1024
_CODECS: Final = {"none": "NONE", "zstd": "ZSTD", "snappy": "SNAPPY", "gzip": "GZIP", "lz4": "LZ4"}


class ParquetPart:
    """One file; the encodings are chosen from the first rows, so that equal rows give equal bytes.

    Each :meth:`write` is one row group, unless the options cut rows otherwise.
    """

    def __init__(self, out: BinaryIO, schema: pa.Schema, *, codec: str, level: int | None, groups: RowGroups) -> None:
        self._gate = _Gate(out)
        # Arrow writes a page and its header apart, and must wait for the interpreter each time.
        self._out = pa.BufferedOutputStream(pa.PythonFile(self._gate, mode="w"), _BUFFER)
        self._schema = schema
        self._codec = _CODECS[codec]
        self._level = level
        self._grouper = RowGrouper(groups)
        self._writer: pq.ParquetWriter | None = None

    def write(self, batch: pa.RecordBatch) -> None:
        self.write_group([batch])

    def write_group(self, pieces: Sequence[pa.RecordBatch]) -> None:
        for group in self._grouper.add(pieces):
            self._write_group(group)

    def size(self) -> int:
        return self._gate.written

    def finish(self) -> None:
        for group in self._grouper.rest():
            self._write_group(group)
        self._open(no_rows(self._schema)).close()
        self._out.flush()
        self._writer = None

    def abort(self) -> None:
        # Arrow completes a file when its writer is collected; behind a closed gate no footer reaches the file.
        self._gate.open = False
        self._writer = None

    def _write_group(self, group: pa.Table) -> None:
        self._open(group).write_table(group, row_group_size=max(1, group.num_rows))
        self._out.flush()

    def _open(self, sample: pa.Table) -> pq.ParquetWriter:
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self._out,
                self._schema,
                compression=self._codec,
                compression_level=self._level,
                use_dictionary=worth_a_dictionary(sample),
                store_decimal_as_integer=True,
                version="2.6",
            )
        return self._writer


def no_rows(schema: pa.Schema) -> pa.Table:
    """Return a table without rows; Arrow's own cannot hold lists of extension types."""
    return pa.Table.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


class _Gate:
    """What Arrow writes through: counts the bytes, and lets none pass after :attr:`open` is False."""

    closed = False

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self.written = 0
        self.open = True

    def write(self, data: bytes) -> int:
        if self.open:
            self._out.write(data)
            self.written += len(data)
        return len(data)

    def tell(self) -> int:
        return self.written

    def flush(self) -> None:
        if self.open:
            self._out.flush()

    def close(self) -> None:
        """Leave the file open: it is the caller's."""

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False
