from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pyarrow as pa
import pytest
import xxhash

from rivet_core.manifest.fingerprint import bytes_fingerprint, content_fingerprint, schema_fingerprint
from rivet_core.manifest.type_names import type_name


def test_a_file_of_several_blocks_is_fingerprinted_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 10_000 + b"end"
    path = tmp_path / "part"
    path.write_bytes(data)
    found = content_fingerprint(path)
    assert found.xxh3 == bytes_fingerprint(data) == f"xxh3:{xxhash.xxh3_64_intdigest(data):016x}"
    assert found.md5 == base64.b64encode(hashlib.md5(data).digest()).decode()
    assert found.size_bytes == len(data)


def test_a_digest_keeps_its_leading_zeros() -> None:
    fingerprints = [bytes_fingerprint(str(i).encode()) for i in range(100)]
    assert any(text.startswith("xxh3:0") for text in fingerprints)
    assert {len(text) for text in fingerprints} == {21}


def test_a_schemas_fingerprint_is_over_sorted_lines_of_name_and_type() -> None:
    schema = pa.schema([("b", pa.string()), ("a", pa.int64()), ("_rivet_row_hash", pa.int64()), ("B", pa.date32())])
    assert schema_fingerprint(schema) == bytes_fingerprint(b"B\tDate32\na\tInt64\nb\tUtf8\n")


def test_the_order_of_columns_and_their_nullability_do_not_count() -> None:
    one = pa.schema([("a", pa.int64()), ("b", pa.string())])
    other = pa.schema([pa.field("b", pa.string(), nullable=False), ("a", pa.int64())])
    assert schema_fingerprint(one) == schema_fingerprint(other)


@pytest.mark.parametrize(
    ("data_type", "expected"),
    [
        (pa.bool_(), "Boolean"),
        (pa.decimal128(12, 2), "Decimal128(12, 2)"),
        (pa.decimal256(60, 5), "Decimal256(60, 5)"),
        (pa.time64("us"), "Time64(Microsecond)"),
        (pa.timestamp("us"), "Timestamp(Microsecond, None)"),
        (pa.timestamp("us", "UTC"), 'Timestamp(Microsecond, Some("UTC"))'),
        (pa.uuid(), "FixedSizeBinary(16)"),
        (pa.json_(), "Utf8"),
        (pa.list_(pa.string()), "List(Field { data_type: Utf8, nullable: true })"),
        (
            pa.list_(pa.field("element", pa.int16())),
            'List(Field { name: "element", data_type: Int16, nullable: true })',
        ),
        (pa.dictionary(pa.int32(), pa.string()), "Dictionary(Int32, Utf8)"),
        (pa.struct([("a", pa.int8())]), 'Struct([Field { name: "a", data_type: Int8, nullable: true }])'),
    ],
    ids=str,
)
def test_a_type_has_the_name_that_arrow_rs_prints(data_type: pa.DataType, expected: str) -> None:
    assert type_name(data_type) == expected


def test_a_type_without_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match="select it as text"):
        type_name(pa.map_(pa.string(), pa.int64()))
