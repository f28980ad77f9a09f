"""Parquet files: what goes in comes out, for us and for a reader that shares no code with the writer."""

from __future__ import annotations

import datetime as dt
import gc
import io
import os
import subprocess
import sys
import threading
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivet_core.errors import IntegrityError, UsageError
from rivet_core.formats.parquet.format import ParquetFormat
from rivet_core.formats.parquet.options import ParquetOptions, RowGroups
from rivet_core.formats.parquet.plugin import rivet_formats
from rivet_core.protocols import Format, FormatWriter, ReadableFormat

if TYPE_CHECKING:
    from pathlib import Path

AT = dt.datetime.fromisoformat("1969-12-31T23:59:59.999999")
COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int64(), [2**63 - 1, None, -(2**63)]),
    "s": (pa.int16(), [-32768, None, 32767]),
    "u": (pa.uint64(), [2**64 - 1, None, 0]),
    "f": (pa.float64(), [5e-324, None, float("inf")]),
    "b": (pa.bool_(), [True, None, False]),
    "t": (pa.utf8(), ["nul\0 é 😀", None, ""]),
    "x": (pa.binary(), [b"\0\xff", None, b""]),
    "d9": (pa.decimal128(9, 2), [Decimal("9999999.99"), None, Decimal("-0.01")]),
    "d18": (pa.decimal128(18, 2), [Decimal("9999999999999999.99"), None, Decimal("-0.01")]),
    "d38": (pa.decimal128(38, 10), [Decimal("1234567890123456789012345678.0123456789"), None, Decimal(0)]),
    "day": (pa.date32(), [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "time": (pa.time64("us"), [dt.time(23, 59, 59, 999999), None, dt.time(0)]),
    "at": (pa.timestamp("us"), [AT, None, dt.datetime.fromisoformat("9999-12-31T00:00:00")]),
    "utc": (pa.timestamp("us", "UTC"), [AT.replace(tzinfo=dt.UTC), None, dt.datetime(1, 1, 1, tzinfo=dt.UTC)]),
    "l": (pa.list_(pa.int32()), [[1, None, 3], None, []]),
}  # fmt: skip


@pytest.fixture
def schema() -> pa.Schema:
    fields = [pa.field(name, kind) for name, (kind, _) in COLUMNS.items()]
    return pa.schema([*fields, pa.field("id", pa.uuid()), pa.field("doc", pa.json_(pa.utf8()))])


@pytest.fixture
def batch(schema: pa.Schema) -> pa.RecordBatch:
    plain = [pa.array(values, kind) for kind, values in COLUMNS.values()]
    identifier = pa.array([uuid.UUID(int=1).bytes, None, uuid.UUID(int=2**128 - 1).bytes], pa.binary(16))
    document = pa.array(['{"a": 1}', None, "[]"])
    extended = [
        pa.ExtensionArray.from_storage(pa.uuid(), identifier),
        pa.ExtensionArray.from_storage(pa.json_(pa.utf8()), document),
    ]
    return pa.RecordBatch.from_arrays([*plain, *extended], schema=schema)


def written(batches: list[pa.RecordBatch], schema: pa.Schema, options: ParquetOptions | None = None) -> bytes:
    out = io.BytesIO()
    writer = ParquetFormat(options or ParquetOptions()).writer(out, schema)
    for one in batches:
        writer.write(one)
    writer.finish()
    assert writer.size() == len(out.getvalue())
    return out.getvalue()


def numbers(rows: int) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(range(rows), pa.int64())})


def groups_of(data: bytes) -> list[int]:
    meta = pq.read_metadata(io.BytesIO(data))
    return [meta.row_group(at).num_rows for at in range(meta.num_row_groups)]


def test_the_format_fulfils_its_protocols() -> None:
    (declared,) = rivet_formats()
    made = declared.factory(ParquetOptions())
    assert isinstance(made, Format)
    assert isinstance(made, ReadableFormat)
    assert isinstance(made.writer(io.BytesIO(), pa.schema([])), FormatWriter)


def test_every_type_comes_back_as_it_went_in(tmp_path: Path, batch: pa.RecordBatch) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(written([batch], batch.schema))
    (found,) = ParquetFormat(ParquetOptions()).reader(path, batch.schema)
    assert found == batch
    found.validate(full=True)


def test_duckdb_reads_the_same_values(tmp_path: Path, batch: pa.RecordBatch) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(written([batch], batch.schema))
    with duckdb.connect() as connection:
        # DuckDB's own reading of instants depends on the session's zone, so both sides are compared as UTC.
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.execute(f"SELECT * REPLACE (epoch_us(utc) AS utc) FROM '{path}'").fetchall()
        kinds = dict(
            connection.execute(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{path}')").fetchall()
        )
    expected = batch.set_column(13, "utc", batch.column("utc").cast(pa.int64())).to_pylist()
    assert rows == [tuple(row.values()) for row in expected]
    assert (kinds["id"], kinds["doc"], kinds["d18"]) == ("UUID", "JSON", "DECIMAL(18,2)")


def test_decimals_are_integers_where_they_fit(batch: pa.RecordBatch) -> None:
    found = pq.ParquetFile(io.BytesIO(written([batch], batch.schema))).schema
    kinds = {found.column(at).name: found.column(at).physical_type for at in range(len(found))}
    assert (kinds["d9"], kinds["d18"], kinds["d38"]) == ("INT32", "INT64", "FIXED_LEN_BYTE_ARRAY")


def test_equal_rows_give_equal_bytes(batch: pa.RecordBatch) -> None:
    assert written([batch, batch], batch.schema) == written([batch, batch], batch.schema)


def test_no_rows_make_a_typed_file(tmp_path: Path, schema: pa.Schema) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(written([], schema))
    assert pq.read_schema(path).equals(schema)
    assert list(ParquetFormat(ParquetOptions()).reader(path, schema)) == []


@pytest.mark.parametrize("rows", [0, 2])
def test_lists_of_extension_types_come_back(tmp_path: Path, rows: int) -> None:
    schema = pa.schema([("ids", pa.list_(pa.uuid()))])
    items = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.UUID(int=1).bytes, None], pa.binary(16)))
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 2]), items)
    batch = pa.RecordBatch.from_arrays([lists], schema=schema)
    ParquetFormat(ParquetOptions()).check(schema)
    path = tmp_path / "p.parquet"
    path.write_bytes(written([batch] if rows else [], schema))
    found = list(ParquetFormat(ParquetOptions()).reader(path, schema))
    assert [row["ids"] for one in found for row in one.to_pylist()] == [[uuid.UUID(int=1), None], []][:rows]


def test_each_write_is_one_row_group() -> None:
    sizes = [3, 1_200_000, 1]
    batches = [numbers(rows) for rows in sizes]
    assert groups_of(written(batches, batches[0].schema)) == sizes


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (RowGroups(row_group_strategy="fixed_rows", row_group_rows=4000), [4000, 4000, 4000, 4000, 4000]),
        (RowGroups(row_group_strategy="fixed_rows", row_group_rows=9000), [9000, 9000, 2000]),
        (RowGroups(row_group_strategy="fixed_rows", row_group_rows=500), [500] * 40),
        (RowGroups(row_group_strategy="fixed_memory"), [20_000]),
        (RowGroups(target_row_group_mb=1), [20_000]),
        (RowGroups(), [7000, 7000, 6000]),
    ],
)
def test_rows_are_cut_into_groups_as_asked(options: RowGroups, expected: list[int]) -> None:
    batches = [numbers(7000), numbers(7000), numbers(6000)]
    data = written(batches, batches[0].schema, ParquetOptions(parquet=options))
    assert groups_of(data) == expected
    assert pq.read_table(io.BytesIO(data)) == pa.Table.from_batches(batches)


@pytest.mark.parametrize("strategy", ["auto", "fixed_memory"])
def test_no_group_is_larger_than_the_most(strategy: Any) -> None:
    wide = pa.record_batch({"n": pa.array(range(600_000), pa.int64())})
    target = 4 if strategy == "fixed_memory" else None
    options = RowGroups(row_group_strategy=strategy, target_row_group_mb=target, max_row_group_mb=2)
    sizes = groups_of(written([wide], wide.schema, ParquetOptions(parquet=options)))
    assert max(sizes) * 8 <= 2 * 1024 * 1024
    assert sum(sizes) == 600_000


def test_only_repeating_columns_get_a_dictionary() -> None:
    rows = 20_000
    batch = pa.record_batch(
        {"id": pa.array(range(rows)), "state": pa.array([f"s{number % 7}" for number in range(rows)])}
    )
    group = pq.read_metadata(io.BytesIO(written([batch], batch.schema))).row_group(0)
    used = {group.column(at).path_in_schema: "RLE_DICTIONARY" in group.column(at).encodings for at in range(2)}
    assert used == {"id": False, "state": True}


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "zstd"),
        ({"compression": "gzip", "compression_level": 0}, "gzip"),
        ({"compression": "zstd", "compression_level": 22}, "zstd"),
        ({"compression": "lz4"}, "lz4"),
        ({"compression": "none"}, "none"),
        ({"compression_profile": "fast"}, "snappy"),
        ({"compression": "gzip", "compression_profile": "none"}, "none"),
        ({"compression_profile": "compact"}, "zstd"),
    ],
)
def test_the_manifests_word_is_the_files_codec(options: dict[str, Any], word: str) -> None:
    chosen = ParquetOptions(**options)
    batch = numbers(100)
    codec = pq.read_metadata(io.BytesIO(written([batch], batch.schema, chosen))).row_group(0).column(0).compression
    assert ParquetFormat(chosen).compression() == word
    assert codec == {"none": "UNCOMPRESSED"}.get(word, word.upper())


def test_compact_is_smaller_than_balanced_and_balanced_than_none() -> None:
    batch = pa.record_batch({"t": [f"some text with the number {number * 7919 % 100_003}" for number in range(20_000)]})
    profiles: list[Any] = ["compact", "balanced", "none"]
    sizes = [len(written([batch], batch.schema, ParquetOptions(compression_profile=profile))) for profile in profiles]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 3


@pytest.mark.parametrize(
    "options",
    [
        {"compression_level": 0},
        {"compression_level": 23},
        {"compression": "gzip", "compression_level": 10},
        {"compression": "snappy", "compression_level": 1},
        {"compression_level": 3, "compression_profile": "fast"},
    ],
)
def test_a_level_that_the_codec_does_not_have_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ParquetOptions(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"row_group_strategy": "fixed_rows"},
        {"row_group_rows": 5000},
        {"row_group_strategy": "fixed_rows", "row_group_rows": 5000, "target_row_group_mb": 64},
        {"max_row_group_mb": 0},
    ],
)
def test_a_row_group_setting_that_would_be_ignored_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        RowGroups(**options)


@pytest.mark.parametrize(
    "kind",
    [
        pa.month_day_nano_interval(),
        pa.struct([]),
        pa.timestamp("s"),
        pa.list_(pa.struct([])),
        pa.dense_union([pa.field("a", pa.int8())]),
    ],
    ids=str,
)
def test_a_type_that_would_not_come_back_is_refused_by_name(kind: pa.DataType) -> None:
    schema = pa.schema([pa.field("good", pa.int64()), pa.field("bad", kind), pa.field("worse", kind)])
    with pytest.raises(UsageError) as caught:
        ParquetFormat(ParquetOptions()).check(schema)
    assert caught.value.code == "RIVET_CONFIG_FORMAT_COLUMN_UNSUPPORTED"
    assert "bad:" in caught.value.message
    assert "worse:" in caught.value.message
    assert "good:" not in caught.value.message


def test_the_types_of_all_sources_are_accepted(schema: pa.Schema) -> None:
    ParquetFormat(ParquetOptions()).check(schema)


def test_an_aborted_file_is_recognisably_unfinished() -> None:
    out = io.BytesIO()
    writer = ParquetFormat(ParquetOptions()).writer(out, numbers(0).schema)
    writer.write(numbers(10_000))
    writer.abort()
    del writer
    gc.collect()
    assert len(out.getvalue()) > 0
    with pytest.raises(pa.ArrowInvalid):
        pq.read_metadata(io.BytesIO(out.getvalue()))


class Full(io.RawIOBase):
    """A file that takes some bytes and then no more."""

    left = 5000

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.left -= len(data)
        if self.left < 0:
            raise OSError(28, "No space left on device")
        return len(data)


def test_a_full_disk_is_an_error_and_the_writer_can_give_up() -> None:
    writer = ParquetFormat(ParquetOptions(compression="none")).writer(Full(), numbers(0).schema)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="No space left"):
        writer.write(numbers(100_000))
    writer.abort()


def test_the_size_grows_with_each_write() -> None:
    out = io.BytesIO()
    writer = ParquetFormat(ParquetOptions()).writer(out, numbers(0).schema)
    sizes = []
    for _ in range(3):
        writer.write(numbers(10_000))
        sizes.append(writer.size())
    writer.finish()
    assert sizes == sorted(set(sizes))
    assert not out.closed


def test_a_file_can_be_written_to_a_pipe() -> None:
    reading, writing = os.pipe()
    received: list[bytes] = []

    def read() -> None:
        with os.fdopen(reading, "rb") as pipe:
            received.append(pipe.read())

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(writing, "wb") as pipe:
        writer = ParquetFormat(ParquetOptions()).writer(pipe, numbers(0).schema)
        writer.write(numbers(10_000))
        writer.finish()
    reader.join()
    assert pq.read_table(io.BytesIO(received[0])).num_rows == 10_000


def test_the_reader_yields_bounded_batches(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(written([numbers(200_000)], numbers(0).schema))
    sizes = [batch.num_rows for batch in ParquetFormat(ParquetOptions()).reader(path, numbers(0).schema)]
    assert sum(sizes) == 200_000
    assert max(sizes) <= 65_536


def test_a_file_of_other_columns_is_not_read_as_if(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    path.write_bytes(written([numbers(1)], numbers(0).schema))
    for other in (pa.schema([("n", pa.int32())]), pa.schema([("m", pa.int64())])):
        with pytest.raises(IntegrityError):
            list(ParquetFormat(ParquetOptions()).reader(path, other))


def test_declaring_the_format_imports_no_parquet() -> None:
    code = (
        "import sys, rivet_core.formats.parquet.plugin as p; p.rivet_formats(); print('pyarrow.parquet' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
