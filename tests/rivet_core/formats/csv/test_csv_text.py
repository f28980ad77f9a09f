"""What each type looks like in a cell, character by character."""

from __future__ import annotations

import uuid
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from rivet_core.errors import UsageError
from rivet_core.formats.csv.format import CsvFormat
from rivet_core.formats.csv.options import CsvOptions

US = pa.timestamp("us")
UTC = pa.timestamp("us", "UTC")
TIME = pa.time64("us")
A_DAY = 86_400 * 10**6

TEXTS: list[tuple[pa.DataType, Any, str]] = [
    (pa.bool_(), True, "true"),
    (pa.bool_(), False, "false"),
    (pa.int8(), -128, "-128"),
    (pa.int64(), -(2**63), "-9223372036854775808"),
    (pa.uint64(), 2**64 - 1, "18446744073709551615"),
    (pa.float64(), 1.0, "1"),
    (pa.float64(), 0.1, "0.1"),
    (pa.float64(), -0.0, "-0"),
    (pa.float64(), 0.1 + 0.2, "0.30000000000000004"),
    (pa.float64(), 1e300, "1e+300"),
    (pa.float64(), 5e-324, "5e-324"),
    (pa.float64(), float("nan"), "NaN"),
    (pa.float64(), float("inf"), "inf"),
    (pa.float64(), float("-inf"), "-inf"),
    (pa.float32(), 0.1, "0.1"),
    (pa.float32(), float("nan"), "NaN"),
    (pa.decimal128(12, 2), Decimal("12.30"), "12.30"),
    (pa.decimal128(12, 2), Decimal("-0.01"), "-0.01"),
    (pa.decimal128(20, 10), Decimal("1E-10"), "0.0000000001"),
    (pa.decimal128(20, 10), Decimal("-1E-10"), "-0.0000000001"),
    (pa.decimal128(20, 10), Decimal(0), "0.0000000000"),
    (pa.decimal128(38, 38), Decimal("1E-38"), "0." + "0" * 37 + "1"),
    (pa.decimal128(38, 0), Decimal("9" * 38), "9" * 38),
    (pa.decimal128(5, -2), Decimal("-123E2"), "-12300"),
    (pa.decimal128(5, -2), Decimal(0), "0"),
    (pa.decimal256(76, 30), Decimal("1E-30"), "0." + "0" * 29 + "1"),
    (pa.decimal256(76, 0), Decimal("-" + "9" * 76), "-" + "9" * 76),
    (pa.string(), "=1+1", "=1+1"),
    (pa.string(), " spaced ", " spaced "),
    (pa.large_string(), "ü 日本 🐘", "ü 日本 🐘"),
    (pa.string(), "", '""'),
    (pa.string(), "a,b", '"a,b"'),
    (pa.string(), 'say "x"', '"say ""x"""'),
    (pa.string(), "two\nlines", '"two\nlines"'),
    (pa.string(), "a\rb", '"a\rb"'),
    (pa.string(), "nul\0", "nul\0"),
    (pa.binary(), b"\x00\xff\xab", "00ffab"),
    (pa.binary(), b"", '""'),
    (pa.date32(), 0, "1970-01-01"),
    (pa.date32(), -1, "1969-12-31"),
    (pa.date32(), 11_016, "2000-02-29"),
    (pa.date32(), -719_162, "0001-01-01"),
    (pa.date32(), -719_163, "0000-12-31"),
    (pa.date32(), -735_160, "-0043-03-15"),
    (pa.date32(), 2_932_896, "9999-12-31"),
    (pa.date32(), 2_932_897, "+10000-01-01"),
    (pa.date32(), 2**31 - 1, "+5881580-07-11"),
    (TIME, 0, "00:00:00.000000"),
    (TIME, A_DAY - 1, "23:59:59.999999"),
    (TIME, A_DAY, "24:00:00.000000"),
    (TIME, -1, "-00:00:00.000001"),
    (TIME, (838 * 3600 + 59 * 60 + 59) * 10**6, "838:59:59.000000"),
    (TIME, -(838 * 3600 + 59 * 60 + 59) * 10**6, "-838:59:59.000000"),
    (TIME, -(2**63), "-2562047788:00:54.775808"),
    (pa.time32("s"), 3661, "01:01:01.000000"),
    (pa.time32("ms"), 5, "00:00:00.005000"),
    (pa.time64("ns"), 1, "00:00:00.000000001"),
    (US, 0, "1970-01-01T00:00:00.000000"),
    (US, -1, "1969-12-31T23:59:59.999999"),
    (US, -62_135_596_800 * 10**6, "0001-01-01T00:00:00.000000"),
    (US, -735_160 * A_DAY + 1, "-0043-03-15T00:00:00.000001"),
    (US, 2_932_897 * A_DAY, "+10000-01-01T00:00:00.000000"),
    (US, 2**63 - 1, "+294247-01-10T04:00:54.775807"),
    (US, -(2**63), "-290308-12-21T19:59:05.224192"),
    (UTC, -1, "1969-12-31T23:59:59.999999Z"),
    (UTC, 2_932_897 * A_DAY, "+10000-01-01T00:00:00.000000Z"),
    (pa.timestamp("us", "Europe/Berlin"), 0, "1970-01-01T00:00:00.000000Z"),
    (pa.timestamp("s"), 1, "1970-01-01T00:00:01.000000"),
    (pa.timestamp("ms"), -1, "1969-12-31T23:59:59.999000"),
    (pa.timestamp("ns"), -1, "1969-12-31T23:59:59.999999999"),
    (pa.timestamp("ns", "UTC"), 1, "1970-01-01T00:00:00.000000001Z"),
]  # fmt: skip


def column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    if pa.types.is_temporal(kind):
        return pa.array(values, pa.int64() if kind.bit_width == 64 else pa.int32()).view(kind)
    return pa.array(values, kind)


@pytest.mark.parametrize(("kind", "value", "text"), TEXTS, ids=[f"{kind}-{text[:30]!r}" for kind, _, text in TEXTS])
def test_a_value_is_written_as(written: Any, read_back: Any, kind: pa.DataType, value: Any, text: str) -> None:
    batch = pa.record_batch({"x": column(kind, [value, None, value])})
    data = written(batch, header=False)
    assert data.decode() == f"{text}\n\n{text}\n"
    found = read_back(data, batch.schema, header=False).column("x").combine_chunks()
    assert bits(found) == bits(batch.column("x"))


def bits(array: pa.Array) -> list[Any]:
    """Return values that are equal only when they are the same: -0.0 is no 0.0, and Python knows no year 10000."""
    if pa.types.is_temporal(array.type) or pa.types.is_floating(array.type):
        array = array.view(pa.int64() if array.type.bit_width == 64 else pa.int32())
    return array.to_pylist()


def test_a_uuid_has_hyphens(written: Any) -> None:
    stored = pa.array([uuid.UUID(int=0xAB << 120).bytes, None], pa.binary(16))
    batch = pa.record_batch({"x": pa.ExtensionArray.from_storage(pa.uuid(), stored)})
    assert written(batch) == b"x\nab000000-0000-0000-0000-000000000000\n\n"


def test_json_is_its_text(written: Any) -> None:
    stored = pa.array(['{"a": 1}', "null", None])
    batch = pa.record_batch({"x": pa.ExtensionArray.from_storage(pa.json_(), stored)})
    assert written(batch) == b'x\n"{""a"": 1}"\nnull\n\n'


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.int64()),
        pa.struct([("a", pa.int64())]),
        pa.map_(pa.string(), pa.int64()),
        pa.binary(16),
        pa.float16(),
        pa.duration("us"),
        pa.month_day_nano_interval(),
        pa.dictionary(pa.int32(), pa.string()),
        pa.date64(),
        pa.opaque(pa.binary(), "point", "postgresql"),
        pa.decimal128(38, -60),
    ],
    ids=str,
)
def test_a_type_without_an_exact_text_is_refused_by_name(kind: pa.DataType) -> None:
    schema = pa.schema([pa.field("good", pa.int64()), pa.field("bad", kind), pa.field("worse", kind)])
    with pytest.raises(UsageError) as caught:
        CsvFormat(CsvOptions()).check(schema)
    assert caught.value.code == "RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED"
    assert "bad:" in caught.value.message
    assert "worse:" in caught.value.message
    assert "good:" not in caught.value.message


def test_a_relation_without_columns_is_refused() -> None:
    with pytest.raises(UsageError, match="rows without columns"):
        CsvFormat(CsvOptions()).check(pa.schema([]))


@pytest.mark.parametrize(
    "kind", [*dict.fromkeys(kind for kind, _, _ in TEXTS), pa.null(), pa.uuid(), pa.json_()], ids=str
)
def test_a_type_with_an_exact_text_is_accepted(kind: pa.DataType) -> None:
    CsvFormat(CsvOptions()).check(pa.schema([pa.field("x", kind)]))
