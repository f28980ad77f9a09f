"""The row hash: one 64-bit number a row over its covered columns, equal to rivet-cli's.

A row's bytes are, per column, 0 for NULL, else 1, a 32-bit little-endian length and the text that
`display` gives; for a list 1, the number of its elements and each of them the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest.canonical import binary_from_offsets
from rivet_core.manifest.display import display, has_display
from rivet_core.manifest.xxh3 import digest128_low
from rivet_core.manifest.xxh3_words import Bytes, Offsets

COLUMN: Final = "_rivet_row_hash"
"""The name of the column that carries the hash."""

RENDER: Final = "xxh3-128-i64-arrow-display-us-v2"
"""The value of `row_hash.render` in the manifest: names this digest and these bytes."""

_HEADER: Final = 5
_NOTHING: Final = pa.scalar(b"", pa.large_binary())


def is_hashable(data_type: pa.DataType) -> bool:
    """Tell whether columns of a type can be covered; dictionaries and extensions are their values."""
    if isinstance(data_type, pa.BaseExtensionType):
        return is_hashable(data_type.storage_type)
    if pa.types.is_dictionary(data_type) or _is_list(data_type):
        return is_hashable(data_type.value_type)
    return has_display(data_type)


def row_hashes(batch: pa.RecordBatch, covered: Sequence[str]) -> pa.Int64Array:
    """Return the hash of each row of a batch.

    :param covered: the columns to hash, in this order; at least one, each of a hashable type.
    :raises TypeError: when one of them has a type that cannot be covered.
    """
    pieces: list[pa.LargeBinaryArray] = []
    for name in covered:
        array = batch.column(name)
        if not is_hashable(array.type):
            msg = (
                f"column {name!r} of type {array.type} cannot be part of the row hash;"
                " leave it out of meta_columns.row_hash or cast it to text"
            )
            raise TypeError(msg)
        pieces.extend(_pieces(array))
    data, offsets = _cells(_joined(pieces))
    return pa.array(digest128_low(data, offsets).view(np.int64))


def _is_list(data_type: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_list(data_type) or types.is_large_list(data_type) or types.is_fixed_size_list(data_type))


def _pieces(array: pa.Array) -> tuple[pa.LargeBinaryArray, pa.LargeBinaryArray]:
    """Return what stands before the text of each cell, and the text; both without nulls."""
    if isinstance(array.type, pa.BaseExtensionType):
        return _pieces(array.storage)
    if pa.types.is_dictionary(array.type):
        return _pieces(array.dictionary_decode())
    if _is_list(array.type):
        return _list_pieces(array)
    texts = display(array)
    if array.null_count:
        texts = pc.if_else(array.is_valid(), texts, _NOTHING)
    _, offsets = _cells(texts)
    return _headers(np.diff(offsets), array), texts


def _list_pieces(array: pa.Array) -> tuple[pa.LargeBinaryArray, pa.LargeBinaryArray]:
    counts = pc.fill_null(pc.list_value_length(array), 0).to_numpy().astype(np.int64)
    positions = np.concatenate(([0], np.cumsum(counts)))
    # flatten() leaves out what lies under null lists, so a row's elements follow each other.
    data, offsets = _cells(_joined(_pieces(array.flatten())))
    return _headers(counts, array), binary_from_offsets(data, offsets[positions])


def _headers(sizes: Offsets, array: pa.Array) -> pa.LargeBinaryArray:
    headers = np.empty((sizes.size, _HEADER), dtype=np.uint8)
    headers[:, 0] = 1
    headers[:, 1:].view("<u4")[:, 0] = sizes
    lengths = np.full(sizes.size, _HEADER, dtype=np.int64)
    flat = headers.reshape(-1)
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        headers[:, 0] = valid
        kept = np.ones(headers.shape, dtype=np.bool_)
        kept[~valid, 1:] = False
        flat = headers[kept]
        lengths = np.where(valid, _HEADER, 1)
    return binary_from_offsets(flat, np.concatenate(([0], np.cumsum(lengths))))


def _joined(pieces: Sequence[pa.LargeBinaryArray]) -> pa.LargeBinaryArray:
    return pc.binary_join_element_wise(*pieces, _NOTHING)


def _cells(array: pa.LargeBinaryArray) -> tuple[Bytes, Offsets]:
    _, positions, values = array.buffers()
    offsets = np.frombuffer(positions, np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(values, np.uint8) if values else np.zeros(0, dtype=np.uint8)
    return data, offsets
