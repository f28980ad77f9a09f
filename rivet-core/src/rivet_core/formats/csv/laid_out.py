"""Arrow text and bytes as numpy sees them, and back."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes: TypeAlias = npt.NDArray[np.uint8]
Offsets: TypeAlias = npt.NDArray[np.int64]

TEXT = pa.large_string()
OCTETS = pa.large_binary()


def laid_out(array: pa.Array) -> tuple[Bytes, Offsets]:
    """Return the bytes of a large array, and where each cell begins and the last one ends in them."""
    _, offsets, buffer = array.buffers()
    cuts = np.frombuffer(offsets, np.int64)[array.offset :][: len(array) + 1]
    data = np.frombuffer(buffer, np.uint8) if buffer else np.zeros(0, np.uint8)
    if not len(cuts):  # Arrow may leave the offsets of no rows out.
        return data[:0], np.zeros(1, np.int64)
    return data[cuts[0] : cuts[-1]], cuts - cuts[0]


def from_layout(data: npt.NDArray[Any], offsets: Offsets, kind: pa.DataType = TEXT) -> pa.Array:
    """Return a large array without NULLs over bytes; nothing is checked."""
    buffers = [None, pa.py_buffer(np.ascontiguousarray(offsets)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)


def from_matrix(matrix: Bytes, kind: pa.DataType = TEXT) -> pa.Array:
    """Return one cell a row, all of one width."""
    rows, width = matrix.shape
    return from_layout(matrix.reshape(-1), np.arange(rows + 1, dtype=np.int64) * width, kind)


def nulls_of(array: pa.Array, cells: pa.Array) -> pa.Array:
    """Return the cells, NULL where the array is."""
    return pc.if_else(array.is_valid(), cells, pa.scalar(None, cells.type)) if array.null_count else cells


def joined(*pieces: pa.Array | str, between: str = "") -> pa.Array:
    """Return texts put together row by row; NULL where one of them is."""
    large = [pa.scalar(piece, TEXT) if isinstance(piece, str) else piece for piece in pieces]
    return pc.binary_join_element_wise(*large, pa.scalar(between, TEXT))
