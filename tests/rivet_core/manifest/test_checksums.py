from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.manifest.checksums import checksummed_columns, column_checksums, merge
from rivet_core.manifest.xxh3 import BLOCK

MASK = (1 << 64) - 1


def total(cells: list[bytes]) -> int:
    return sum(xxhash.xxh3_64_intdigest(cell) for cell in cells) & MASK


def int64(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def test_a_checksum_is_the_wrapping_sum_of_the_cells_digests() -> None:
    batch = pa.record_batch({"id": [1, 2, 3], "name": ["a", None, "b" * 300]})
    assert column_checksums(batch, None) == {
        "id": total([int64(1), int64(2), int64(3)]),
        "name": total([b"a", b"b" * 300]),
    }


def test_equal_rows_do_not_cancel_each_other() -> None:
    batch = pa.record_batch({"id": [7, 7]})
    assert column_checksums(batch, None) == {"id": total([int64(7)]) * 2 & MASK}


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.none() | st.text(max_size=40)), max_size=30))
def test_with_a_key_each_cell_is_hashed_behind_its_rows_key(rows: list[tuple[int, str | None]]) -> None:
    keys, texts = [key for key, _ in rows], [text for _, text in rows]
    batch = pa.record_batch({"id": pa.array(keys, pa.int64()), "text": pa.array(texts, pa.string())})
    assert column_checksums(batch, "id") == {
        "id": total([int64(key) * 2 for key in keys]),
        "text": total([int64(key) + text.encode() for key, text in rows if text is not None]),
    }


def test_a_long_value_is_hashed_behind_its_key_like_a_short_one() -> None:
    texts = ["x" * size for size in (0, 1, 119, 120, 121, 250, 5000)]
    batch = pa.record_batch({"id": list(range(7)), "text": texts})
    expected = total([int64(i) + text.encode() for i, text in enumerate(texts)])
    assert column_checksums(batch, "id")["text"] == expected


def test_values_swapped_between_rows_show_only_with_a_key() -> None:
    one = pa.record_batch({"id": [1, 2], "v": ["a", "b"]})
    other = pa.record_batch({"id": [1, 2], "v": ["b", "a"]})
    assert column_checksums(one, None) == column_checksums(other, None)
    assert column_checksums(one, "id")["v"] != column_checksums(other, "id")["v"]


KEYS_WITH_A_NULL = {
    "int32": (pa.array([5, None], pa.int32()), [b"\5\0\0\0", b"\0\0\0\0"]),
    "string": (pa.array(["k", None]), [b"k", b""]),
    "decimal": (pa.array([Decimal(1), None], pa.decimal128(5, 0)), [b"\1" + b"\0" * 15, b"\0" * 16]),
    "list": (pa.array([[1], None], pa.list_(pa.int16())), [b"\2\2\0\0\0\1\0", b""]),
}


@pytest.mark.parametrize("name", KEYS_WITH_A_NULL)
def test_a_null_key_counts_as_zero_bytes(name: str) -> None:
    keys, prefixes = KEYS_WITH_A_NULL[name]
    batch = pa.record_batch({"key": keys, "v": ["a", "b"]})
    found = column_checksums(batch, "key")
    assert found["v"] == total([prefixes[0] + b"a", prefixes[1] + b"b"])
    assert found["key"] == total([prefixes[0] * 2])


def test_the_bytes_that_lie_under_a_null_key_do_not_count() -> None:
    under = pa.py_buffer(np.array([9, 9], np.int64))
    keys = pa.Array.from_buffers(pa.int64(), 2, [pa.py_buffer(b"\1"), under])
    batch = pa.record_batch({"key": keys, "v": ["a", "b"]})
    assert column_checksums(batch, "key")["v"] == total([int64(9) + b"a", int64(0) + b"b"])


@pytest.mark.parametrize("key", ["gone", "large"])
def test_a_key_without_bytes_is_no_key(key: str) -> None:
    batch = pa.record_batch({"id": [1, 2], "large": pa.array(["a", "b"], pa.large_string())})
    assert column_checksums(batch, key) == column_checksums(batch, None)


def test_columns_of_rivet_and_columns_without_a_form_are_left_out() -> None:
    schema = pa.schema(
        [
            ("id", pa.int64()),
            ("small", pa.uint8()),
            ("_rivet_exported_at", pa.timestamp("us", "UTC")),
            ("_rivet_row_hash", pa.int64()),
        ]
    )
    assert checksummed_columns(schema) == ("id",)


@pytest.mark.parametrize("key", [None, "id"])
def test_parts_of_a_batch_add_up_to_the_whole(key: str | None) -> None:
    rows = 2 * BLOCK + 5
    texts = pa.array(np.arange(rows) % 1000).cast(pa.string())
    batch = pa.record_batch({"id": np.arange(rows), "text": texts})
    parts = [column_checksums(batch.slice(*part), key) for part in ((0, 1), (1, BLOCK), (BLOCK + 1, rows))]
    merged: dict[str, int] = {}
    for part in parts:
        merged = merge(merged, part)
    assert merged == column_checksums(batch, key)


def test_an_empty_batch_has_zeros() -> None:
    schema = pa.schema([("id", pa.int64()), ("t", pa.string()), ("l", pa.list_(pa.string()))])
    batch = pa.RecordBatch.from_pylist([], schema)
    assert column_checksums(batch, "id") == {"id": 0, "t": 0, "l": 0}
