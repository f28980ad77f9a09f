"""Batches gathered to one row group; it copies each column once, and lets go of its pieces as it does."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

#: No target is larger, since 32-bit offsets of a text column could overflow when its pieces are joined.
LARGEST = 1024 * 1024 * 1024


class RowGroup:
    """The rows that the next row group will have.

    :param target: Arrow bytes at which it is full.
    """

    def __init__(self, schema: pa.Schema, target: int) -> None:
        self._schema = schema
        self._target = max(1, min(target, LARGEST))
        self._most = self._target + self._target // 3
        self._pieces: list[list[pa.Array]] = [[] for _ in schema]
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
        """Append rows; the batch's buffers are kept, not copied."""
        for pieces, column in zip(self._pieces, data.columns, strict=True):
            pieces.append(column)
        self.rows += data.num_rows
        self.bytes += data.nbytes

    def take(self) -> pa.RecordBatch:
        """Return all rows as one batch and begin again."""
        columns = []
        for pieces in self._pieces:
            columns.append(pieces[0] if len(pieces) == 1 else pa.concat_arrays(pieces))
            # Only one column is held twice at a time.
            pieces.clear()
        self.rows = self.bytes = 0
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)
