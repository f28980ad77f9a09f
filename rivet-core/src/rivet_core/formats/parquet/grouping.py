"""Cuts the rows of a file into row groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from rivet_core.formats.parquet.options import LEAST_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rivet_core.formats.parquet.options import RowGroups

_MB: Final = 1024 * 1024
_TARGET_MB: Final = 128


class RowGrouper:
    """Holds back rows only where a strategy asks for larger groups than were written at once."""

    def __init__(self, options: RowGroups) -> None:
        self._options = options
        self._held: list[pa.RecordBatch] = []

    def add(self, pieces: Sequence[pa.RecordBatch]) -> Iterator[pa.Table]:
        """Take rows, at least one piece of them, and yield the groups that are complete."""
        self._held.extend(pieces)
        held = pa.Table.from_batches(self._held)
        self._held = []
        rows = rows_per_group(self._options, held.num_rows, held.nbytes)
        start = 0
        while held.num_rows - start >= (rows if self._options.gathers else 1):
            yield held.slice(start, rows)
            start += rows
        if start < held.num_rows:
            self._held = held.slice(start).to_batches()

    def rest(self) -> Iterator[pa.Table]:
        """Yield the last, smaller group, if there is one."""
        if self._held:
            yield pa.Table.from_batches(self._held)
        self._held = []


def rows_per_group(options: RowGroups, rows: int, size: int) -> int:
    """Return how many rows make a group.

    :param rows: rows at hand, from which the size of one is known.
    :param size: their bytes.
    """
    if options.row_group_strategy == "fixed_rows":
        wanted = options.row_group_rows or rows
    elif options.gathers:
        wanted = max(_fitting(options.target_row_group_mb or _TARGET_MB, rows, size), LEAST_ROWS)
    else:
        wanted = max(rows, LEAST_ROWS)
    if options.max_row_group_mb is not None:
        wanted = min(wanted, max(_fitting(options.max_row_group_mb, rows, size), LEAST_ROWS))
    return wanted


def _fitting(megabytes: int, rows: int, size: int) -> int:
    return megabytes * _MB * rows // size if size else rows
