"""Readers of cells: many byte strings in one buffer, read a few words of every cell at a time.

They hide whether cells have one width or one length each; they compute no digest.
"""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from rivet_core.manifest.xxh3_words import Bytes, Offsets, Words, unaligned

PADDING: Final = 16
"""Bytes of the buffer that must lie after the start of every cell: short ones are over-read."""


class Cells(Protocol):
    """Byte strings of one length class; every method returns one row a cell."""

    @property
    def length(self) -> Words:
        """The lengths, or one element where all are equal."""

    def first(self) -> Words:
        """The first eight bytes as one word; those after the end of a shorter cell are arbitrary."""

    def head(self, words: int) -> Words:
        """The first words of each cell, as a matrix."""

    def tail(self, words: int) -> Words:
        """The last words of each cell, as a matrix; they end where the cell ends."""


@frozen(kw_only=True, eq=False)
class RaggedCells:
    """Cells of different lengths in a contiguous buffer, by their starts and sizes."""

    data: Bytes
    starts: Offsets
    sizes: Offsets

    @property
    def length(self) -> Words:
        return self.sizes.view(np.uint64)

    def first(self) -> Words:
        return self._gather(self.starts, 1)[:, 0]

    def head(self, words: int) -> Words:
        return self._gather(self.starts, words)

    def tail(self, words: int) -> Words:
        return self._gather(self.starts + self.sizes - 8 * words, words)

    def take(self, chosen: npt.NDArray[np.intp]) -> RaggedCells:
        return RaggedCells(data=self.data, starts=self.starts[chosen], sizes=self.sizes[chosen])

    def _gather(self, positions: Offsets, words: int) -> Words:
        return unaligned(self.data, 8 * words)[positions].view("<u8").reshape(-1, words)


@frozen(kw_only=True, eq=False)
class EvenCells:
    """Cells of one width, the rows of a contiguous matrix of bytes; reads are strided views."""

    data: Bytes
    length: Words = field(init=False)

    @length.default
    def _one_length(self) -> Words:
        return np.array([self.data.shape[1]], dtype=np.uint64)

    def first(self) -> Words:
        rows, width = self.data.shape
        if width >= 8:
            return self._words(0, 1)[:, 0]
        if width in {1, 2, 4}:
            return self.data.view(f"<u{width}")[:, 0].astype(np.uint64)
        padded = np.zeros((rows, 8), dtype=np.uint8)
        padded[:, :width] = self.data
        return padded.view("<u8")[:, 0]

    def head(self, words: int) -> Words:
        return self._words(0, words)

    def tail(self, words: int) -> Words:
        return self._words(self.data.shape[1] - 8 * words, words)

    def _words(self, at: int, words: int) -> Words:
        rows, width = self.data.shape
        shape, strides = (rows, words), (width, 8)
        return np.ndarray(shape=shape, dtype="<u8", buffer=self.data, offset=at, strides=strides)
