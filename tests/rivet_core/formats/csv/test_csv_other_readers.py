"""Programs that share no code with the writer find the same values: Python's csv and DuckDB."""

from __future__ import annotations

import csv
import datetime as dt
import io
import struct
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\"',;\r\n\\N\0"), max_size=9)
CELLS = st.lists(st.none() | TEXT, min_size=5, max_size=5)
AT = dt.datetime.fromisoformat("1969-12-31T23:59:59.999999")
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int64(), [2**63 - 1, None, -(2**63)]),
    "u": (pa.uint64(), [2**64 - 1, None, 0]),
    "f": (pa.float64(), [5e-324, None, float("-inf")]),
    "g": (pa.float32(), [0.5, None, 2.0**100]),
    "b": (pa.bool_(), [True, None, False]),
    "t": (pa.utf8(), ["é 😀\r\n", None, ""]),
    "x": (pa.binary(), [b"\0\xff", None, b""]),
    "d": (pa.decimal128(38, 10), [Decimal("1234567890123456789012345678.0123456789"), None, Decimal("-1E-10")]),
    "day": (pa.date32(), [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "time": (pa.time64("us"), [dt.time(23, 59, 59, 999999), None, dt.time(0)]),
    "at": (pa.timestamp("us"), [AT, None, dt.datetime.fromisoformat("9999-12-31T00:00:00")]),
    "utc": (pa.timestamp("us", "UTC"), [AT.replace(tzinfo=dt.UTC), None, dt.datetime(1, 1, 1, tzinfo=dt.UTC)]),
    "id": (pa.uuid(), [uuid.UUID(int=1), None, uuid.UUID(int=2**128 - 1)]),
}  # fmt: skip
BY_PYTHON: dict[str, Any] = {
    "i": int,
    "u": int,
    "f": float,
    "g": lambda text: struct.unpack("f", struct.pack("f", float(text)))[0],
    "b": {"true": True, "false": False}.__getitem__,
    "t": str,
    "x": bytes.fromhex,
    "d": Decimal,
    "day": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "at": dt.datetime.fromisoformat,
    "utc": dt.datetime.fromisoformat,
    "id": uuid.UUID,
}
BY_DUCKDB = {
    "i": "BIGINT",
    "u": "UBIGINT",
    "f": "DOUBLE",
    "g": "FLOAT",
    "b": "BOOLEAN",
    "t": "VARCHAR",
    "x": "VARCHAR",
    "d": "DECIMAL(38, 10)",
    "day": "DATE",
    "time": "TIME",
    "at": "TIMESTAMP",
    "utc": "TIMESTAMPTZ",
    "id": "UUID",
}


@pytest.fixture
def batch() -> pa.RecordBatch:
    arrays = []
    for kind, values in COLUMNS.values():
        if kind == pa.uuid():
            stored = pa.array([value.bytes if value else None for value in values], pa.binary(16))
            arrays.append(pa.ExtensionArray.from_storage(kind, stored))
        else:
            arrays.append(pa.array(values, kind))
    return pa.record_batch(arrays, names=list(COLUMNS))


def by_python(data: bytes, **dialect: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True, **dialect))


def by_duckdb(path: Path, columns: dict[str, str]) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(
            f"SELECT * FROM read_csv(?, auto_detect = false, columns = {columns}, header = true, delim = ',',"
            " quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false, strict_mode = true)",
            [str(path)],
        ).fetchall()


def test_pythons_reader_finds_the_values(written: Any, batch: pa.RecordBatch) -> None:
    header, *rows = by_python(written(batch))
    assert header == list(COLUMNS)
    first, second, third = (dict(zip(header, row, strict=True)) for row in rows)
    for name, (_, values) in COLUMNS.items():
        convert = BY_PYTHON[name]
        assert (convert(first[name]), second[name], convert(third[name])) == (values[0], "", values[2])


def test_duckdb_finds_the_values(written: Any, batch: pa.RecordBatch, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(written(batch))
    rows = by_duckdb(path, BY_DUCKDB)
    expected = {name: values for name, (_, values) in COLUMNS.items()} | {"x": ["00ff", None, ""]}
    for at, name in enumerate(COLUMNS):
        if name != "utc":
            assert [row[at] for row in rows] == expected[name]
    # The driver's own conversion of instants wants a library; their texts say as much.
    moments = by_duckdb(path, {**BY_DUCKDB, "utc": "VARCHAR"})
    assert [row[11] for row in moments] == ["1969-12-31T23:59:59.999999Z", None, "0001-01-01T00:00:00.000000Z"]


def test_duckdb_guesses_the_types_by_itself(written: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    days = pa.array([19_000, None, 19_002], pa.int32()).view(pa.date32())
    moments = pa.array([10**15, None, 10**15 + 1]).view(pa.timestamp("us", "UTC"))
    batch = pa.record_batch(
        {"n": [1, None, 3], "x": [0.5, None, 1e300], "b": [True, None, False], "t": ["a,b", None, "c"]}
    )
    batch = batch.append_column("d", days).append_column("at", moments)
    path.write_bytes(written(batch))
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT column_type FROM (DESCRIBE SELECT * FROM '{path}')").fetchall()
    assert [kind for (kind,) in found] == ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "DATE", "TIMESTAMP WITH TIME ZONE"]


@settings(deadline=None, max_examples=min(60, settings().max_examples))
@given(first=CELLS, second=CELLS, line_end=st.sampled_from(["lf", "crlf"]), delimiter=st.sampled_from(",;"))
def test_pythons_reader_finds_every_text(
    written: Any, first: list[str | None], second: list[str | None], line_end: str, delimiter: str
) -> None:
    batch = pa.record_batch([pa.array(first, pa.string()), pa.array(second, pa.string())], names=["a,b", 'c"\n'])
    header, *rows = by_python(written(batch, line_end=line_end, delimiter=delimiter), delimiter=delimiter)
    assert header == ["a,b", 'c"\n']
    # It cannot tell NULL from the empty text.
    assert rows == [[one or "", two or ""] for one, two in zip(first, second, strict=True)]


@settings(deadline=None, max_examples=min(40, settings().max_examples))
@given(first=CELLS, second=CELLS)
def test_duckdb_tells_null_from_the_empty_text(
    written: Any, tmp_path_factory: Any, first: list[str | None], second: list[str | None]
) -> None:
    path = tmp_path_factory.getbasetemp() / "texts.csv"
    batch = pa.record_batch([pa.array(first, pa.string()), pa.array(second, pa.string())], names=["a", "b"])
    path.write_bytes(written(batch))
    assert by_duckdb(path, {"a": "VARCHAR", "b": "VARCHAR"}) == list(zip(first, second, strict=True))


def test_duckdb_sees_the_nulls_of_a_single_column(written: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(written(pa.record_batch({"t": pa.array(["a", None, "", None])})))
    assert by_duckdb(path, {"t": "VARCHAR"}) == [("a",), (None,), ("",), (None,)]
