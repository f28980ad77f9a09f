from __future__ import annotations

import struct
from decimal import Decimal
from itertools import pairwise
from uuid import UUID

import pyarrow as pa
import pytest

from rivet_core.manifest.canonical import EvenColumn, canonical, has_canonical_form


def cells(array: pa.Array | pa.ChunkedArray) -> list[bytes | None]:
    column = canonical(array)
    assert column is not None
    if isinstance(column, EvenColumn):
        found = [row.tobytes() for row in column.data]
    else:
        bounds = column.offsets.tolist()
        found = [column.data[start:end].tobytes() for start, end in pairwise(bounds)]
    valid = [True] * len(found) if column.valid is None else column.valid.tolist()
    return [cell if good else None for cell, good in zip(found, valid, strict=True)]


SCALARS = {
    "bool": (pa.array([True, False, None]), [b"\1", b"\0", None]),
    "int16": (pa.array([-2, None], pa.int16()), [b"\xfe\xff", None]),
    "int32": (pa.array([258], pa.int32()), [b"\2\1\0\0"]),
    "int64": (pa.array([-1, 1], pa.int64()), [b"\xff" * 8, b"\1" + b"\0" * 7]),
    "uint64": (pa.array([2**64 - 1], pa.uint64()), [b"\xff" * 8]),
    "float32": (pa.array([1.5], pa.float32()), [struct.pack("<f", 1.5)]),
    "float64": (pa.array([-0.0], pa.float64()), [struct.pack("<d", -0.0)]),
    "decimal128": (pa.array([Decimal("-1.50")], pa.decimal128(10, 2)), [(-150).to_bytes(16, "little", signed=True)]),
    "decimal256": (pa.array([Decimal("1.5")], pa.decimal256(50, 2)), [(150).to_bytes(32, "little")]),
    "date32": (pa.array([-1], pa.int32()).cast(pa.date32()), [b"\xff" * 4]),
    "time64": (pa.array([5], pa.int64()).cast(pa.time64("us")), [b"\5" + b"\0" * 7]),
    "timestamp": (pa.array([5], pa.int64()).cast(pa.timestamp("us")), [b"\5" + b"\0" * 7]),
    "instant": (pa.array([5], pa.int64()).cast(pa.timestamp("us", "UTC")), [b"\5" + b"\0" * 7]),
    "string": (pa.array(["é", "", None]), ["é".encode(), b"", None]),
    "binary": (pa.array([b"\0\xff", None]), [b"\0\xff", None]),
    "fixed binary": (pa.array([b"ab", None], pa.binary(2)), [b"ab", None]),
    "json": (pa.array(["{}", None], pa.json_()), [b"{}", None]),
    "uuid": (pa.array([UUID(int=1).bytes, None], pa.uuid()), [UUID(int=1).bytes, None]),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_has_its_raw_bytes(name: str) -> None:
    array, expected = SCALARS[name]
    assert cells(array) == expected


@pytest.mark.parametrize("name", SCALARS)
def test_a_slice_has_the_bytes_of_its_own_cells(name: str) -> None:
    array, expected = SCALARS[name]
    doubled = pa.concat_arrays([array, array])
    start = len(array)
    assert cells(doubled.slice(start)) == expected
    assert cells(doubled.slice(start, 1)) == expected[:1]
    assert cells(doubled.slice(start, 0)) == []


def test_chunks_are_one_column() -> None:
    assert cells(pa.chunked_array([["a"], [], ["b", None]])) == [b"a", b"b", None]
    assert cells(pa.chunked_array([], pa.int16())) == []


LISTS = {
    "bool": (pa.bool_(), [True, None], b"\1\1\0\0\0\1" + b"\0" * 5),
    "int16": (pa.int16(), [1, None], b"\2\2\0\0\0\1\0" + b"\0" * 5),
    "int32": (pa.int32(), [None, 1], b"\0" * 5 + b"\3\4\0\0\0\1\0\0\0"),
    "int64": (pa.int64(), [1], b"\4\x08\0\0\0\1" + b"\0" * 7),
    "float32": (pa.float32(), [1.5], b"\5\4\0\0\0" + struct.pack("<f", 1.5)),
    "float64": (pa.float64(), [1.5], b"\6\x08\0\0\0" + struct.pack("<d", 1.5)),
    "string": (pa.string(), ["ab", None, ""], b"\7\2\0\0\0ab" + b"\0" * 5 + b"\7\0\0\0\0"),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_its_tagged_elements(name: str) -> None:
    element, values, expected = LISTS[name]
    array = pa.array([[], values, None, values], pa.list_(element))
    assert cells(array) == [b"", expected, None, expected]
    assert cells(array.slice(1, 2)) == [expected, None]


def test_elements_under_a_null_list_do_not_count() -> None:
    offsets, values = pa.array([0, 2, 3], pa.int32()), pa.array([1, 2, 3], pa.int16())
    array = pa.ListArray.from_arrays(offsets, values, mask=pa.array([True, False]))
    assert cells(array) == [None, b"\2\2\0\0\0\3\0"]


@pytest.mark.parametrize(
    "data_type",
    [
        pa.int8(),
        pa.uint8(),
        pa.uint16(),
        pa.uint32(),
        pa.float16(),
        pa.date64(),
        pa.time32("s"),
        pa.time64("ns"),
        pa.timestamp("ms"),
        pa.timestamp("ns"),
        pa.duration("us"),
        pa.large_string(),
        pa.large_binary(),
        pa.string_view(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.list_(pa.date32()),
        pa.list_(pa.list_(pa.int32())),
        pa.large_list(pa.int32()),
        pa.struct([("a", pa.int64())]),
        pa.null(),
    ],
    ids=str,
)
def test_a_type_that_rivet_cli_does_not_fold_has_no_form(data_type: pa.DataType) -> None:
    assert not has_canonical_form(data_type)
    assert canonical(pa.nulls(2, data_type)) is None
