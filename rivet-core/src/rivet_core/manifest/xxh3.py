"""XXH3 digests of a whole column of byte strings at once, equal to what xxhash gives one by one.

Cells are taken in blocks that stay in the processor's cache and grouped by length class.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rivet_core.manifest import xxh3_long
from rivet_core.manifest.xxh3_cells import PADDING, EvenCells, RaggedCells
from rivet_core.manifest.xxh3_short import (
    CLASS_OF_LENGTH,
    KERNELS_64,
    KERNELS_128_LOW,
    SHORT,
    Kernel,
)
from rivet_core.manifest.xxh3_words import Bytes, Offsets, Words

BLOCK: Final = 16_384
"""Cells a step: the work arrays stay in the cache, and below the size that malloc gives back."""

_LONG: Final = len(KERNELS_64)
_CLASSES: Final = np.append(CLASS_OF_LENGTH, np.uint8(_LONG))


def digest64(data: Bytes, offsets: Offsets) -> Words:
    """Return XXH3-64 of each of the n cells.

    :param data: one contiguous buffer; bytes outside the offsets are ignored.
    :param offsets: n + 1 rising positions in it; cell i ends where cell i + 1 starts.
    """
    return _ragged(data, offsets[:-1], np.diff(offsets), KERNELS_64)


def digest64_spread(data: Bytes, starts: Offsets, sizes: Offsets) -> Words:
    """Return XXH3-64 of each cell, where other bytes may lie between one cell and the next.

    :param starts: rising positions in the contiguous buffer.
    """
    return _ragged(data, starts, sizes, KERNELS_64)


def digest64_fixed(data: Bytes) -> Words:
    """Return XXH3-64 of each row of a matrix of bytes (cells, width)."""
    return _even(data, KERNELS_64)


def digest128_low(data: Bytes, offsets: Offsets) -> Words:
    """Return the lower 64 bits of XXH3-128 of each cell; parameters as for `digest64`."""
    return _ragged(data, offsets[:-1], np.diff(offsets), KERNELS_128_LOW)


def digest128_low_fixed(data: Bytes) -> Words:
    """Return the lower 64 bits of XXH3-128 of each row of a matrix of bytes (cells, width)."""
    return _even(data, KERNELS_128_LOW)


def _even(data: Bytes, kernels: tuple[Kernel, ...]) -> Words:
    rows, width = data.shape
    if width > SHORT:
        flat = np.ascontiguousarray(data).reshape(-1)
        starts = np.arange(rows, dtype=np.int64) * width
        return _ragged(flat, starts, np.full(rows, width, dtype=np.int64), kernels)
    digests = np.empty(rows, dtype=np.uint64)
    kernel = kernels[CLASS_OF_LENGTH[width]]
    for begin in range(0, rows, BLOCK):
        block = np.ascontiguousarray(data[begin : begin + BLOCK])
        digests[begin : begin + BLOCK] = kernel(EvenCells(data=block))
    return digests


def _ragged(data: Bytes, starts: Offsets, sizes: Offsets, kernels: tuple[Kernel, ...]) -> Words:
    count = starts.size
    digests = np.empty(count, dtype=np.uint64)
    # A short cell is read as one whole word, so the few at the very end need bytes after them.
    safe = int(np.searchsorted(starts, data.size - PADDING, side="right"))
    for begin in range(0, safe, BLOCK):
        block = slice(begin, min(begin + BLOCK, safe))
        cells = RaggedCells(data=data, starts=starts[block], sizes=sizes[block])
        _by_class(cells, kernels, digests[block])
    if safe < count:
        base = int(starts[safe])
        tail = np.pad(data[base:], (0, PADDING))
        for begin in range(safe, count, BLOCK):
            block = slice(begin, min(begin + BLOCK, count))
            cells = RaggedCells(data=tail, starts=starts[block] - base, sizes=sizes[block])
            _by_class(cells, kernels, digests[block])
    return digests


def _by_class(cells: RaggedCells, kernels: tuple[Kernel, ...], digests: Words) -> None:
    classes = _CLASSES[np.minimum(cells.sizes, SHORT + 1)]
    present = np.flatnonzero(np.bincount(classes, minlength=_LONG + 1)).tolist()
    if len(present) == 1:
        digests[:] = _of_class(cells, present[0], kernels)
        return
    for number in present:
        chosen = np.flatnonzero(classes == number)
        digests[chosen] = _of_class(cells.take(chosen), number, kernels)


def _of_class(cells: RaggedCells, number: int, kernels: tuple[Kernel, ...]) -> Words:
    return xxh3_long.digest(cells) if number == _LONG else kernels[number](cells)
