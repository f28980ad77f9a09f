"""Cuts the rows of a file into row groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from rivet_core.formats.parquet.options import LEAST_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.formats.parquet.options import RowGroups

_MB: Final = 1024 * 1024
_TARGET_MB: Final = 128


class RowGrouper:
    """Holds back rows only where a strategy asks for larger groups than were written at once."""

    def __init__(self, options: RowGroups) -> None:
        self._options = options
        self._held: list[pa.RecordBatch] = []

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.Table]:
        """Take rows and yield the groups that are complete."""
        self._held.append(batch)
        held = pa.Table.from_batches(self._held)
        self._held = []
        rows = rows_per_group(self._options, held.num_rows, held.nbytes)
        gathers = self._options.row_group_strategy != "auto"
        start = 0
        while held.num_rows - start >= (rows if gathers else 1):
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
    match options.row_group_strategy:
        case "fixed_rows":
            wanted = options.row_group_rows or rows
        case "fixed_memory":
            wanted = _fitting(options.target_row_group_mb or _TARGET_MB, rows, size)
        case _:
            wanted = rows
    if options.max_row_group_mb is not None:
        wanted = min(wanted, _fitting(options.max_row_group_mb, rows, size))
    return max(wanted, LEAST_ROWS)


def _fitting(megabytes: int, rows: int, size: int) -> int:
    return megabytes * _MB * rows // size if size else rows
