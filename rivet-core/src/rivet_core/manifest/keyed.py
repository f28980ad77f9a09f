"""Digests of cells that are hashed together with their row's key, put side by side in blocks."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest.canonical import (
    CanonicalColumn,
    EvenColumn,
    RaggedColumn,
    binary_from_matrix,
    binary_from_offsets,
)
from rivet_core.manifest.xxh3 import BLOCK, digest64, digest64_fixed, digest64_spread
from rivet_core.manifest.xxh3_words import Bytes, Words, place, unaligned

_NOTHING: Final = pa.scalar(b"", pa.large_binary())

_SLOT: Final = 120
"""Longest value, in bytes, for which a block gives every cell a slot of the longest one's size."""


def keyed_digests(keys: CanonicalColumn, values: CanonicalColumn) -> Words:
    """Return XXH3-64 of each key followed by the value of its row; validity is not looked at."""
    if not isinstance(keys, EvenColumn):
        return _joined(keys, values)
    rows = keys.data.shape[0]
    digests = np.empty(rows, dtype=np.uint64)
    for begin in range(0, rows, BLOCK):
        block = slice(begin, min(begin + BLOCK, rows))
        some = keys.data[block]
        if isinstance(values, EvenColumn):
            digests[block] = digest64_fixed(_beside(some, values.data[block]))
        else:
            offsets = values.offsets[block.start : block.stop + 1]
            part = RaggedColumn(data=values.data, offsets=offsets, valid=None)
            digests[block] = _in_slots(some, part)
    return digests


def _beside(keys: Bytes, values: Bytes) -> Bytes:
    rows, width = keys.shape
    both = np.empty((rows, width + values.shape[1]), dtype=np.uint8)
    place(both, 0, keys)
    place(both, width, values)
    return both


def _in_slots(keys: Bytes, values: RaggedColumn) -> Words:
    starts, sizes = values.offsets[:-1], np.diff(values.offsets)
    longest = int(sizes.max(initial=0))
    if longest > _SLOT:
        return _joined(EvenColumn(data=keys, valid=None), values)
    rows, key_width = keys.shape
    used = values.data[values.offsets[0] : values.offsets[-1]]
    # A slot is what lies before, in and after a value; what lies before makes room for the key.
    padded = np.zeros(key_width + used.size + longest, dtype=np.uint8)
    padded[key_width : key_width + used.size] = used
    width = key_width + longest
    slots = unaligned(padded, width)[starts - values.offsets[0]].view(np.uint8).reshape(rows, width)
    place(slots, 0, keys)
    spread = np.arange(rows, dtype=np.int64) * width
    return digest64_spread(slots.reshape(-1), spread, sizes + key_width)


def _joined(keys: CanonicalColumn, values: CanonicalColumn) -> Words:
    joined = pc.binary_join_element_wise(binary(keys), binary(values), _NOTHING)
    _, positions, buffer = joined.buffers()
    data = np.frombuffer(buffer, np.uint8) if buffer else np.zeros(0, np.uint8)
    return digest64(data, np.frombuffer(positions, np.int64, count=len(joined) + 1))


def binary(column: CanonicalColumn) -> pa.LargeBinaryArray:
    """View canonical cells as an Arrow array without nulls."""
    if isinstance(column, EvenColumn):
        return binary_from_matrix(column.data)
    return binary_from_offsets(column.data, column.offsets)
