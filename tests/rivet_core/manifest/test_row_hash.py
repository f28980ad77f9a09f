from __future__ import annotations

import struct

import pyarrow as pa
import pytest
import xxhash

from rivet_core.manifest.row_hash import is_hashable, row_hashes


def hashed(*rows: bytes) -> list[int]:
    lows = [xxhash.xxh3_128_intdigest(row) & ((1 << 64) - 1) for row in rows]
    return [low - (1 << 64) if low >> 63 else low for low in lows]


def shown(text: str) -> bytes:
    return b"\1" + struct.pack("<I", len(text.encode())) + text.encode()


def test_a_row_is_its_covered_cells_in_the_given_order() -> None:
    batch = pa.record_batch({"a": [1, 22], "b": ["x", "é"], "c": [True, False]})
    assert row_hashes(batch, ["b", "a"]).to_pylist() == hashed(shown("x") + shown("1"), shown("é") + shown("22"))


def test_null_and_empty_text_differ() -> None:
    batch = pa.record_batch({"a": [None, ""], "b": ["x", "x"]})
    assert row_hashes(batch, ["a", "b"]).to_pylist() == hashed(b"\0" + shown("x"), shown("") + shown("x"))


def test_a_list_is_counted_and_its_elements_are_shown() -> None:
    batch = pa.record_batch({"l": pa.array([[1, None], [], None, [3]], pa.list_(pa.int32()))})
    two = b"\1\2\0\0\0" + shown("1") + b"\0"
    one = b"\1\1\0\0\0" + shown("3")
    assert row_hashes(batch, ["l"]).to_pylist() == hashed(two, b"\1\0\0\0\0", b"\0", one)


def test_lists_nest() -> None:
    batch = pa.record_batch({"l": pa.array([[["a"], None, []]], pa.list_(pa.list_(pa.string())))})
    inner = b"\1\1\0\0\0" + shown("a")
    assert row_hashes(batch, ["l"]).to_pylist() == hashed(b"\1\3\0\0\0" + inner + b"\0" + b"\1\0\0\0\0")


def test_a_slice_has_the_hashes_of_its_rows() -> None:
    lists = pa.array([[1], None, [2, 3], []], pa.list_(pa.int64()))
    batch = pa.record_batch({"a": [1.5, None, 2.0, 3.0], "b": ["x", "y", None, "z"], "l": lists})
    whole = row_hashes(batch, ["a", "b", "l"])
    assert row_hashes(batch.slice(1, 2), ["a", "b", "l"]) == whole.slice(1, 2)


def test_a_dictionary_and_an_extension_hash_as_their_values() -> None:
    plain = pa.record_batch({"a": ["{}", None, "{}"]})
    encoded = pa.record_batch({"a": plain["a"].dictionary_encode()})
    extended = pa.record_batch({"a": pa.array(["{}", None, "{}"], pa.json_())})
    assert row_hashes(encoded, ["a"]) == row_hashes(plain, ["a"])
    assert row_hashes(extended, ["a"]) == row_hashes(plain, ["a"])


def test_no_rows_have_no_hashes() -> None:
    batch = pa.RecordBatch.from_pylist([], pa.schema([("a", pa.int64()), ("t", pa.timestamp("us"))]))
    assert row_hashes(batch, ["a", "t"]) == pa.array([], pa.int64())


def test_a_column_that_cannot_be_covered_is_named() -> None:
    batch = pa.record_batch({"ok": [1], "gap": pa.array([1], pa.duration("us"))})
    assert not is_hashable(batch.schema.field("gap").type)
    with pytest.raises(TypeError, match="'gap' of type duration"):
        row_hashes(batch, ["ok", "gap"])
