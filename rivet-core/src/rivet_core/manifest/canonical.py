"""The canonical bytes of Arrow cells, over which checksums are taken; no hashing here.

The list of types is exactly the one that rivet-cli folds. It re-derives zero for every other
type, so a checksum over one of those would make its `validate` call an intact file corrupt: they
have no canonical form (8-bit and other unsigned integers, half floats, 32- and 64-bit decimals,
other time units, large and view types, dictionaries, nested lists, structs). Cast such a column
to its common twin before it is written, and it gets a checksum.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from rivet_core.manifest.xxh3_words import Bytes, Offsets, place

Valid: TypeAlias = npt.NDArray[np.bool_]

_FIXED: Final = frozenset(
    {
        pa.bool_(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.uint64(),
        pa.float32(),
        pa.float64(),
        pa.date32(),
        pa.time64("us"),
    }
)

_LIST_TAGS: Final = {
    pa.bool_(): 1,
    pa.int16(): 2,
    pa.int32(): 3,
    pa.int64(): 4,
    pa.float32(): 5,
    pa.float64(): 6,
    pa.string(): 7,
}
_ELEMENT_HEADER: Final = 5


@frozen(kw_only=True, eq=False)
class EvenColumn:
    """Cells of one width, the rows of a matrix of bytes (cells, width).

    The bytes of an invalid cell are arbitrary; `valid` is None where every cell is valid.
    """

    data: Bytes
    valid: Valid | None


@frozen(kw_only=True, eq=False)
class RaggedColumn:
    """Cells of different lengths: cell i is `data[offsets[i] : offsets[i + 1]]`.

    The bytes of an invalid cell are arbitrary; `valid` is None where every cell is valid.
    """

    data: Bytes
    offsets: Offsets
    valid: Valid | None


CanonicalColumn: TypeAlias = EvenColumn | RaggedColumn


def has_canonical_form(data_type: pa.DataType) -> bool:
    """Tell whether cells of a type have canonical bytes; an extension type is its storage."""
    if isinstance(data_type, pa.BaseExtensionType):
        return has_canonical_form(data_type.storage_type)
    if pa.types.is_list(data_type):
        return data_type.value_type in _LIST_TAGS
    if pa.types.is_timestamp(data_type):
        return bool(data_type.unit == "us")
    return (
        data_type in _FIXED
        or pa.types.is_decimal128(data_type)
        or pa.types.is_decimal256(data_type)
        or pa.types.is_string(data_type)
        or pa.types.is_binary(data_type)
        or pa.types.is_fixed_size_binary(data_type)
    )


def canonical(array: pa.Array | pa.ChunkedArray) -> CanonicalColumn | None:
    """Return the canonical bytes of an array, views of its buffers where possible.

    Booleans are one byte, numbers and times little-endian at their own width, decimals their
    unscaled integer, strings and binaries their raw bytes. A list is, per element, a tag byte
    (0 for null), a 32-bit little-endian length and the element's bytes.

    :return: None when the type has no canonical form.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if not has_canonical_form(array.type):
        return None
    if pa.types.is_list(array.type):
        return _lists(array)
    if pa.types.is_string(array.type) or pa.types.is_binary(array.type):
        return RaggedColumn(data=_values(array), offsets=_offsets(array), valid=_valid(array))
    return EvenColumn(data=_matrix(array), valid=_valid(array))


def _valid(array: pa.Array) -> Valid | None:
    if array.null_count == 0:
        return None
    valid: Valid = array.is_valid().to_numpy(zero_copy_only=False)
    return valid


def _matrix(array: pa.Array) -> Bytes:
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    width = array.type.byte_width
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros((len(array), width), dtype=np.uint8)
    start, size = array.offset * width, len(array) * width
    return np.frombuffer(buffer, np.uint8, count=size, offset=start).reshape(-1, width)


def _values(array: pa.Array) -> Bytes:
    buffer = array.buffers()[2]
    return np.zeros(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _offsets(array: pa.Array) -> Offsets:
    buffer = array.buffers()[1]
    if len(array) == 0 or buffer is None:
        return np.zeros(len(array) + 1, dtype=np.int64)
    offsets = np.frombuffer(buffer, np.int32, count=len(array) + 1, offset=4 * array.offset)
    return offsets.astype(np.int64)


def _lists(array: pa.Array) -> RaggedColumn:
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy()
    positions = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
    # flatten() leaves out what lies under null lists, so its elements follow each other.
    data, bounds = _elements(array.flatten())
    return RaggedColumn(data=data, offsets=bounds[positions], valid=_valid(array))


def _elements(array: pa.Array) -> tuple[Bytes, Offsets]:
    """Return the encoded elements, one after the other, and the n + 1 bounds between them."""
    valid = array.is_valid().to_numpy(zero_copy_only=False)
    column = canonical(array)
    if isinstance(column, EvenColumn):
        width = column.data.shape[1]
        sizes = np.where(valid, width, 0)
        encoded = np.empty((len(array), _ELEMENT_HEADER + width), dtype=np.uint8)
        place(encoded, 0, _headers(sizes, _LIST_TAGS[array.type] * valid))
        place(encoded, _ELEMENT_HEADER, column.data)
        kept = np.ones(encoded.shape, dtype=np.bool_)
        kept[~valid, _ELEMENT_HEADER:] = False
        data = encoded[kept]
    else:
        sizes = pc.fill_null(pc.binary_length(array), 0).to_numpy().astype(np.int64)
        headers = _headers(sizes, _LIST_TAGS[array.type] * valid)
        data = _values_of_join(headers, pc.fill_null(array, ""))
    bounds = np.concatenate(([0], np.cumsum(sizes + _ELEMENT_HEADER, dtype=np.int64)))
    return data, bounds


def _headers(sizes: npt.NDArray[np.int64], tags: npt.NDArray[np.int64]) -> Bytes:
    headers = np.empty((sizes.size, _ELEMENT_HEADER), dtype=np.uint8)
    headers[:, 0] = tags
    headers[:, 1:].view("<u4")[:, 0] = sizes
    return headers


def _values_of_join(headers: Bytes, texts: pa.Array) -> Bytes:
    joined = pc.binary_join_element_wise(
        binary_from_matrix(headers), texts.cast(pa.large_binary()), pa.scalar(b"", pa.large_binary())
    )
    return _values(joined)


def binary_from_matrix(data: Bytes) -> pa.LargeBinaryArray:
    """View the rows of a contiguous matrix of bytes as an Arrow array without nulls."""
    rows, width = data.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * width
    return binary_from_offsets(np.ascontiguousarray(data).reshape(-1), offsets)


def binary_from_offsets(data: Bytes, offsets: Offsets) -> pa.LargeBinaryArray:
    """View cells of a buffer as an Arrow array without nulls."""
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), offsets.size - 1, buffers)
