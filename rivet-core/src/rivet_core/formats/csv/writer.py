"""Writes one CSV file, front to back."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.cells import render
from rivet_core.formats.csv.laid_out import TEXT, laid_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rivet_core.formats.csv.laid_out import Bytes
    from rivet_core.formats.csv.options import CsvOptions

#: Rows and bytes that are turned into text at once: enough to forget the cost of a call, little enough for a cache.
_ROWS: Final = 16_384
_BYTES: Final = 8 * 1024 * 1024


class CsvPart:
    """One file; the break of its last line is written by :meth:`finish`, so that no unfinished file has one."""

    def __init__(self, out: BinaryIO, schema: pa.Schema, options: CsvOptions) -> None:
        self._out = out
        self._options = options
        self._break = options.line_break().encode()
        self._owes_break = False
        self._written = 0
        if options.header:
            self._put_lines([pa.array([name], pa.string()) for name in schema.names])

    def write(self, batch: pa.RecordBatch) -> None:
        for piece in _pieces(batch):
            self._put_lines(piece.columns)

    def write_group(self, pieces: Sequence[pa.RecordBatch]) -> None:
        for piece in pieces:
            self.write(piece)

    def size(self) -> int:
        return self._written

    def finish(self) -> None:
        if self._owes_break:
            self._put(self._break)
            self._owes_break = False

    def abort(self) -> None:
        """Leave the file without its last line break."""
        self._owes_break = False

    def _put_lines(self, columns: list[pa.Array]) -> None:
        text = lines(columns, self._options, opening=self._written == 0)
        if self._owes_break:
            self._put(self._break)
        self._put(text[: len(text) - len(self._break)].data)
        self._owes_break = True

    def _put(self, data: bytes | memoryview) -> None:
        self._out.write(data)
        self._written += len(data)


def lines(columns: list[pa.Array], options: CsvOptions, *, opening: bool) -> Bytes:
    """Return the text of some rows, each with its line break.

    :param columns: at least one, with at least one row.
    :param opening: the first row is the first in the file.
    """
    cells = [render(column, options, opening=opening and at == 0) for at, column in enumerate(columns)]
    cells[-1] = _join([cells[-1], pa.scalar("", TEXT)], options.line_break(), options)
    whole = _join(cells, options.delimiter, options) if len(cells) > 1 else cells[0]
    text, _ = laid_out(whole)
    return text


def _join(cells: list[pa.Array | pa.Scalar], between: str, options: CsvOptions) -> pa.LargeStringArray:
    null = options.null_string
    separator = pa.scalar(between, TEXT)
    return pc.binary_join_element_wise(*cells, separator, null_handling="replace", null_replacement=null)


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    rows = min(_ROWS, max(1, _BYTES * batch.num_rows // max(batch.nbytes, 1)))
    for begin in range(0, batch.num_rows, rows):
        yield batch.slice(begin, rows)
