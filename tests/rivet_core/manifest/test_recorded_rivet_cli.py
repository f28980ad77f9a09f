"""What rivet-cli wrote about one table, recorded: the values that it read and the hashes that it gave them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rivet_core.manifest.checksums import column_checksums
from rivet_core.manifest.fingerprint import schema_fingerprint
from rivet_core.manifest.row_hash import row_hashes

RECORDED = json.loads(Path(__file__).with_name("recorded_rivet_cli.json").read_text(encoding="utf-8"))
COLUMNS = {column["name"]: column for column in RECORDED["columns"]}

PLAIN = {
    str(data_type): data_type
    for data_type in (
        pa.bool_(),
        pa.int16(),
        pa.int32(),
        pa.int64(),
        pa.float32(),
        pa.float64(),
        pa.decimal128(12, 2),
        pa.decimal128(38, 10),
        pa.decimal128(10, 0),
        pa.decimal256(60, 5),
        pa.string(),
        pa.binary(),
        pa.date32(),
        pa.time64("us"),
        pa.timestamp("us"),
        pa.timestamp("us", "UTC"),
    )
}
TYPES = {
    **PLAIN,
    **{str(pa.list_(element)): pa.list_(element) for element in PLAIN.values()},
    "fixed_size_binary[16]": pa.uuid(),
}


def value(recorded: Any, data_type: pa.DataType) -> Any:
    if recorded is None:
        return None
    if pa.types.is_list(data_type):
        return [value(element, data_type.value_type) for element in recorded]
    if pa.types.is_floating(data_type):
        return float.fromhex(recorded)
    if pa.types.is_decimal(data_type):
        return Decimal(recorded)
    if pa.types.is_binary(data_type) or data_type == pa.uuid():
        return bytes.fromhex(recorded)
    return recorded


def array(column: dict[str, Any]) -> pa.Array:
    data_type = pa.json_() if column.get("extension") == "arrow.json" else TYPES[column["type"]]
    values = [value(recorded, data_type) for recorded in column["values"]]
    if pa.types.is_temporal(data_type):
        counts = pa.int32() if data_type == pa.date32() else pa.int64()
        return pa.array(values, counts).cast(data_type)
    return pa.array(values, data_type)


@pytest.fixture(scope="module")
def batch() -> Iterator[pa.RecordBatch]:
    return pa.record_batch({name: array(column) for name, column in COLUMNS.items()})


def integers(recorded: dict[str, str]) -> dict[str, int]:
    return {name: int(checksum) for name, checksum in recorded.items()}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_row_hash_of_one_column_is_what_rivet_cli_gave(batch: pa.RecordBatch, name: str) -> None:
    assert row_hashes(batch, [name]).to_pylist() == [int(text) for text in COLUMNS[name]["row_hashes"]]


def test_the_row_hash_of_all_columns_is_what_rivet_cli_gave(batch: pa.RecordBatch) -> None:
    assert row_hashes(batch, batch.schema.names).to_pylist() == [int(text) for text in RECORDED["row_hashes"]]


@pytest.mark.parametrize(("key", "recorded"), [(None, "checksum"), ("id", "keyed_by_id")])
def test_checksums_are_what_rivet_cli_gave(batch: pa.RecordBatch, key: str | None, recorded: str) -> None:
    expected = integers({name: column[recorded] for name, column in COLUMNS.items()})
    assert column_checksums(batch, key) == expected


@pytest.mark.parametrize("key", RECORDED["keys_with_a_null"])
def test_checksums_over_a_key_with_a_null_are_what_rivet_cli_gave(batch: pa.RecordBatch, key: str) -> None:
    expected = integers(RECORDED["keys_with_a_null"][key])
    found = column_checksums(batch, key)
    assert {name: found[name] for name in expected} == expected


def test_the_schema_fingerprint_is_what_rivet_cli_gave(batch: pa.RecordBatch) -> None:
    assert schema_fingerprint(batch.schema) == RECORDED["schema_fingerprint"]
