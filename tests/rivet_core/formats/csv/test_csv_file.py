"""The file as it grows: its bytes, its size, its end, and what becomes of one that is given up."""

from __future__ import annotations

import io
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rivet_core.errors import IntegrityError
from rivet_core.formats.csv.format import CsvFormat
from rivet_core.formats.csv.options import CsvOptions
from rivet_core.formats.csv.plugin import rivet_formats
from rivet_core.protocols import Format, FormatWriter, ReadableFormat


def numbers(rows: int) -> pa.RecordBatch:
    return pa.record_batch({"n": pa.array(range(rows), pa.int64())})


def test_the_format_fulfils_its_protocols() -> None:
    (declared,) = rivet_formats()
    made = declared.factory(CsvOptions())
    assert isinstance(made, Format)
    assert isinstance(made, ReadableFormat)
    assert isinstance(made.writer(io.BytesIO(), numbers(0).schema), FormatWriter)
    assert made.compression() == "none"


def test_no_rows_make_a_file_with_the_names_only(written: Any, read_back: Any) -> None:
    assert written(numbers(0)) == b"n\n"
    assert read_back(b"n\n", numbers(0).schema).num_rows == 0


def test_no_rows_and_no_header_make_an_empty_file(written: Any, read_back: Any) -> None:
    assert written(numbers(0), header=False) == b""
    assert read_back(b"", numbers(0).schema, header=False).num_rows == 0


def test_a_file_that_is_not_finished_lacks_its_last_line_break() -> None:
    out = io.BytesIO()
    writer = CsvFormat(CsvOptions()).writer(out, numbers(0).schema)
    seen = [out.getvalue()]
    writer.write(numbers(2))
    seen.append(out.getvalue())
    writer.abort()
    seen.append(out.getvalue())
    assert seen == [b"n", b"n\n0\n1", b"n\n0\n1"]


@pytest.mark.parametrize("line_end", ["lf", "crlf"])
def test_a_file_that_was_cut_anywhere_but_between_records_is_refused(
    written: Any, read_back: Any, line_end: str
) -> None:
    batch = pa.record_batch({"a": ['x,"\n', None, "", "é"], "b": ["1", '"', "\r\n", "2"]})
    data = written(batch, line_end=line_end)
    whole = {len(written(batch.slice(0, rows), line_end=line_end)) for rows in range(5)}
    taken = []
    for size in range(len(data)):
        try:
            read_back(data[:size], batch.schema, line_end=line_end)
        except IntegrityError:
            continue
        taken.append(size)
    assert taken == sorted(whole - {len(data)})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"a,b\n1\n", "record 2 has 1 fields instead of 2"),
        (b"a,b\n1,2\n1,2,3\n", "record 3 has 3 fields instead of 2"),
        (b"a,b\n1,2\n\n", "record 3 has 1 fields instead of 2"),
        (b'a,b\nx"y",2\n', "a quote stands where none may be"),
        (b'a,b\n"x"y,2\n', "a quote stands where none may be"),
        (b'a,b\n"x"y"z",2\n', "a quote stands where none may be"),
        (b"b,a\n1,2\n", "the columns are b, a instead of a, b"),
        (b"a,b\nx,\xff\n", "Invalid UTF8"),
        (b"\xef\xbb\xbfa,b\nx,2\n", "the columns are"),
        (b"", "the file is empty"),
    ],
)
def test_a_broken_file_is_refused(read_back: Any, data: bytes, why: str) -> None:
    with pytest.raises(IntegrityError, match=why) as caught:
        read_back(data, pa.schema([("a", pa.string()), ("b", pa.string())]))
    assert caught.value.code == "RIVET_VALIDATE_FAILED"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (pa.int64(), "1.5"),
        (pa.int16(), "40000"),
        (pa.bool_(), "1"),
        (pa.bool_(), "True"),
        (pa.float64(), "x"),
        (pa.decimal128(4, 2), "1.234"),
        (pa.date32(), "2024-02-30"),
        (pa.date32(), "2024-2-3"),
        (pa.date32(), "+2024-02-03"),
        (pa.date32(), "20240203"),
        (pa.time64("us"), "00:60:00.000000"),
        (pa.time64("us"), "00:00:00"),
        (pa.timestamp("us"), "2024-01-01 00:00:00.000000"),
        (pa.timestamp("us"), "2024-01-01T00:00:00.000000Z"),
        (pa.timestamp("us", "UTC"), "2024-01-01T00:00:00.000000"),
        (pa.timestamp("s"), "2024-01-01T00:00:00.500000"),
        (pa.binary(), "abc"),
        (pa.binary(), "AB"),
        (pa.binary(), "zz"),
        (pa.uuid(), "00000000000000000000000000000000"),
        (pa.uuid(), "0000000-00000-0000-0000-000000000000"),
        (pa.null(), "x"),
    ],
    ids=str,
)
def test_a_cell_that_is_no_value_of_its_type_is_refused_by_column(read_back: Any, kind: pa.DataType, text: str) -> None:
    with pytest.raises(IntegrityError, match="column x"):
        read_back(f"x\n{text}\n".encode(), pa.schema([("x", kind)]))


def test_a_line_without_its_carriage_return_is_refused(read_back: Any) -> None:
    with pytest.raises(IntegrityError, match="carriage return"):
        read_back(b"n\r\n1\n", numbers(0).schema, line_end="crlf")


def test_a_file_of_another_dialect_is_no_damage_that_goes_unexplained(written: Any, read_back: Any) -> None:
    batch = pa.record_batch({"a": [1], "b": [2]})
    with pytest.raises(IntegrityError) as caught:
        read_back(written(batch, delimiter=";"), batch.schema)
    assert "options" in (caught.value.remedy or "")


def test_memory_stays_near_the_size_of_a_block_while_reading(written: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(written(numbers(3_000_000)))
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    most = 0
    for batch in CsvFormat(CsvOptions()).reader(path, batch_schema := numbers(0).schema):
        assert batch.schema == batch_schema
        most = max(most, pa.total_allocated_bytes() - before)
    _, python = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A block of 2 MiB holds 350,000 fields of two offsets each; the whole file is ten times as large.
    assert most + python < 100 * 1024 * 1024


def test_the_file_is_closed_when_its_reader_stops_early(written: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_bytes(written(numbers(1_000_000)))
    reader: Any = CsvFormat(CsvOptions()).reader(path, numbers(0).schema)
    next(reader)
    file = reader.gi_yieldfrom.gi_frame.f_locals["file"]
    reader.close()
    assert file.closed


def test_declaring_the_format_imports_no_numbers_library() -> None:
    code = "import sys, rivet_core.formats.csv.plugin as p; p.rivet_formats(); print('numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
