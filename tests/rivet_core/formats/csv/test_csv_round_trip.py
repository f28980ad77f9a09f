"""Whatever a column holds comes back bit for bit, in every dialect, however the rows were cut."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

LONG = st.integers(-(2**63), 2**63 - 1)
INT = st.integers(-(2**31), 2**31 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\"',;|\t\r\n\\N\0\ufeff"), max_size=9)


def decimals(digits: int, scale: int) -> st.SearchStrategy[Decimal]:
    unscaled = st.integers(-(10**digits) + 1, 10**digits - 1) | st.integers(-9, 9)
    return unscaled.map(lambda number: Decimal((number < 0, tuple(map(int, str(abs(number)))), -scale)))


VALUES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.bool_(), st.booleans()),
    (pa.int8(), st.integers(-128, 127)),
    (pa.uint8(), st.integers(0, 255)),
    (pa.int32(), INT),
    (pa.int64(), LONG),
    (pa.uint64(), st.integers(0, 2**64 - 1)),
    (pa.float32(), st.floats(width=32, allow_nan=False)),
    (pa.float64(), st.floats(allow_nan=False)),
    (pa.string(), TEXT),
    (pa.large_string(), TEXT),
    (pa.string_view(), TEXT),
    (pa.binary(), st.binary(max_size=9)),
    (pa.large_binary(), st.binary(max_size=9)),
    (pa.decimal128(9, 2), decimals(9, 2)),
    (pa.decimal128(38, 38), decimals(38, 38)),
    (pa.decimal128(10, -3), decimals(10, -3)),
    (pa.decimal256(76, 20), decimals(76, 20)),
    (pa.date32(), INT),
    (pa.time32("ms"), INT),
    (pa.time64("us"), LONG | st.integers(0, 86_400 * 10**6)),
    (pa.time64("ns"), st.integers(0, 86_400 * 10**9 - 1)),
    (pa.timestamp("s"), LONG),
    (pa.timestamp("us"), LONG | st.integers(-(10**16), 10**17)),
    (pa.timestamp("us", "UTC"), LONG | st.integers(-(10**16), 10**17)),
    (pa.timestamp("ns", "UTC"), LONG),
    (pa.uuid(), st.binary(min_size=16, max_size=16)),
    (pa.json_(), TEXT),
    (pa.null(), st.none()),
]
DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;|\t \\\x01"),
        "quote": st.sampled_from("\"'"),
        "null_string": st.sampled_from(["", "\\N", "NULL", "-", "ü", "?"]),
        "line_end": st.sampled_from(["lf", "crlf"]),
        "header": st.booleans(),
    }
).filter(lambda found: found["delimiter"] not in found["null_string"] or not found["null_string"])
NAMES = st.lists(TEXT, min_size=1, max_size=5)


def column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int64() if kind.bit_width == 64 else pa.int32()).view(kind)
    return pa.array(values, kind)


def bits(table: pa.Table) -> list[list[Any]]:
    """Return values that are equal only when they are the same: -0.0 is no 0.0, and Python knows no year 10000."""
    found = []
    for chunked in table.columns:
        array = chunked.combine_chunks()
        if pa.types.is_temporal(array.type) or pa.types.is_floating(array.type):
            array = array.view(pa.int64() if array.type.bit_width == 64 else pa.int32())
        found.append((array.storage if isinstance(array, pa.ExtensionArray) else array).to_pylist())
    return found


@settings(deadline=None, max_examples=min(150, settings().max_examples))
@given(data=st.data(), names=NAMES, rows=st.integers(1, 12), dialect=DIALECTS)
def test_every_column_comes_back(
    written: Any, read_back: Any, data: st.DataObject, names: list[str], rows: int, dialect: dict[str, Any]
) -> None:
    columns = []
    for _ in names:
        kind, values = data.draw(st.sampled_from(VALUES))
        columns.append(column(kind, data.draw(st.lists(st.none() | values, min_size=rows, max_size=rows))))
    batch = pa.record_batch(columns, names=names)
    cut = data.draw(st.integers(0, rows))
    whole = written(batch, **dialect)
    found = read_back(whole, batch.schema, **dialect)
    assert found.schema.equals(batch.schema, check_metadata=True)
    assert bits(found) == bits(pa.Table.from_batches([batch]))
    # Slices share buffers with what they are cut from, and must not show it.
    pieces = [piece for piece in (batch.slice(0, cut), batch.slice(cut)) if piece.num_rows]
    assert written(*pieces, **dialect) == whole


def test_metadata_of_the_schema_comes_back(written: Any, read_back: Any) -> None:
    schema = pa.schema([pa.field("n", pa.int64(), metadata={"native": "bigint"})], metadata={"k": "v"})
    batch = pa.record_batch([pa.array([1])], schema=schema)
    assert read_back(written(batch), schema).schema.equals(schema, check_metadata=True)


def test_rows_beyond_one_block_of_the_writer_and_of_the_reader(written: Any, read_back: Any) -> None:
    rows = 100_000
    batch = pa.record_batch(
        {"n": pa.array(range(rows)), "t": pa.array([f'{"x" * (row % 60)}"\n{row}' for row in range(rows)])}
    )
    data = written(batch)
    assert len(data) > 4_000_000
    assert read_back(data, batch.schema).equals(pa.Table.from_batches([batch]))


def test_a_value_larger_than_any_block(written: Any, read_back: Any) -> None:
    batch = pa.record_batch({"n": [1, 2, 3], "t": ["a", 'b,"\n' * 1_000_000, "c"]})
    assert read_back(written(batch), batch.schema).equals(pa.Table.from_batches([batch]))
