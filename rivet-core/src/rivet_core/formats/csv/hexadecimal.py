"""Bytes as lower-case hexadecimal digits and UUIDs with their hyphens, and back."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.laid_out import OCTETS, Bytes, from_layout, from_matrix, laid_out, nulls_of

_PAIRS: Final = np.array([b"%02x" % n for n in range(256)]).view("<u2")
_NO_DIGIT: Final = 255
_VALUES: Final = np.full(256, _NO_DIGIT, np.uint8)
_VALUES[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)
_UUID: Final = 16
_HYPHENS: Final = (8, 13, 18, 23)
_DIGITS: Final = np.delete(np.arange(36), _HYPHENS)


def render_bytes(array: pa.LargeBinaryArray) -> pa.LargeStringArray:
    """Return two digits a byte."""
    data, offsets = laid_out(array)
    return nulls_of(array, from_layout(_PAIRS[data], 2 * offsets))


def parse_bytes(cells: pa.LargeStringArray) -> pa.LargeBinaryArray:
    """Return the bytes.

    :raises ValueError: for anything but pairs of lower-case digits.
    """
    data, offsets = laid_out(pc.fill_null(cells, ""))
    if (offsets % 2).any():
        msg = "bytes end in the middle of one"
        raise ValueError(msg)
    return nulls_of(cells, from_layout(_values(data), offsets // 2, OCTETS))


def render_uuids(array: pa.FixedSizeBinaryArray) -> pa.LargeStringArray:
    """Return 36 characters a UUID, from 16 bytes."""
    data = np.frombuffer(array.buffers()[1], np.uint8)[array.offset * _UUID :][: len(array) * _UUID]
    matrix = np.full((len(array), 36), ord("-"), np.uint8)
    matrix[:, _DIGITS] = _PAIRS[data].view(np.uint8).reshape(len(array), 2 * _UUID)
    return nulls_of(array, from_matrix(matrix))


def parse_uuids(cells: pa.LargeStringArray) -> pa.FixedSizeBinaryArray:
    """Return 16 bytes a UUID.

    :raises ValueError: for anything but UUIDs with hyphens and lower-case digits.
    """
    data, offsets = laid_out(pc.fill_null(cells, "00000000-0000-0000-0000-000000000000"))
    matrix = data[: len(cells) * 36].reshape(-1, 36)
    if (np.diff(offsets) != 36).any() or (matrix[:, _HYPHENS] != ord("-")).any():
        msg = "a text is no UUID with hyphens"
        raise ValueError(msg)
    values = from_matrix(_values(np.ascontiguousarray(matrix[:, _DIGITS]).reshape(-1)).reshape(-1, _UUID), OCTETS)
    return nulls_of(cells, values.cast(pa.binary(_UUID)))


def _values(digits: Bytes) -> Bytes:
    found = _VALUES[digits]
    if (found == _NO_DIGIT).any():
        msg = "a text has other characters than lower-case hexadecimal digits"
        raise ValueError(msg)
    values: Bytes = found[0::2] * np.uint8(16) + found[1::2]
    return values
