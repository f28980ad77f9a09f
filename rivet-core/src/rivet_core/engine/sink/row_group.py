"""Batches gathered to one row group, in pieces: only small batches are joined, since each piece has its cost."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

#: No target is larger, since 32-bit offsets of a text column could overflow when its pieces are joined.
LARGEST = 1024 * 1024 * 1024
_SMALL = 4 * 1024 * 1024


class RowGroup:
    """The rows that the next row group will have.

    :param target: Arrow bytes at which it is full.
    """

    def __init__(self, target: int) -> None:
        self._target = max(1, min(target, LARGEST))
        self._most = self._target + self._target // 3
        self._pieces: list[pa.RecordBatch] = []
        self._small: list[pa.RecordBatch] = []
        self._small_bytes = 0
        self.rows = 0
        self.bytes = 0

    @property
    def full(self) -> bool:
        """Whether it has reached its target."""
        return self.bytes >= self._target

    def fits(self, size: int) -> bool:
        """Return whether so many bytes more leave it near its target; a group far below it takes them in any case."""
        after = self.bytes + size
        near = self.bytes < self._target // 2 or after <= self._most
        return not self.rows or (near and after <= LARGEST + LARGEST // 2)

    def cut(self, data: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield the batch in pieces of about a row group, without copying; usually it is one."""
        pieces = 1 if data.nbytes <= self._most else -(-data.nbytes // self._target)
        rows = max(1, -(-data.num_rows // pieces))
        for begin in range(0, data.num_rows, rows):
            yield data.slice(begin, rows)

    def add(self, data: pa.RecordBatch) -> None:
        """Append rows; the buffers of a batch that is not small are kept, not copied."""
        self.rows += data.num_rows
        self.bytes += data.nbytes
        if data.nbytes >= _SMALL:
            self._join_small()
            self._pieces.append(data)
            return
        self._small.append(data)
        self._small_bytes += data.nbytes
        if self._small_bytes >= _SMALL:
            self._join_small()

    def take(self) -> list[pa.RecordBatch]:
        """Return all rows, in few pieces, and begin again."""
        self._join_small()
        pieces, self._pieces = self._pieces, []
        self.rows = self.bytes = 0
        return pieces

    def _join_small(self) -> None:
        if self._small:
            self._pieces.append(joined(self._small))
        self._small_bytes = 0


def joined(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Return the rows of all pieces, of which there is at least one, as one batch; the list is emptied."""
    if len(pieces) == 1:
        return pieces.pop()
    schema = pieces[0].schema
    columns = [[piece.column(at) for piece in pieces] for at in range(len(schema))]
    pieces.clear()
    whole = []
    for parts in columns:
        whole.append(pa.concat_arrays(parts))
        # Only one column is held twice at a time.
        parts.clear()
    return pa.RecordBatch.from_arrays(whole, schema=schema)
