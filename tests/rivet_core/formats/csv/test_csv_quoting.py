"""What stands in quotes, and that NULL, the empty text and the text of the null string are three things."""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow as pa
import pytest


def texts(*values: str | None, name: str = "x") -> pa.RecordBatch:
    return pa.record_batch({name: pa.array(values, pa.string())})


def test_null_is_nothing_and_the_empty_text_is_a_pair_of_quotes(written: Any) -> None:
    batch = pa.record_batch({"a": pa.array([None, ""]), "b": pa.array(["", None])})
    assert written(batch) == b'a,b\n,""\n"",\n'


def test_only_what_would_be_misread_is_quoted(written: Any) -> None:
    batch = texts("plain", "a;b", "it's", "tab\t", "#no", "-", "a,b", 'a"b')
    assert written(batch).decode().splitlines() == ["x", "plain", "a;b", "it's", "tab\t", "#no", "-", '"a,b"', '"a""b"']


def test_quoting_follows_the_chosen_dialect(written: Any) -> None:
    data = written(texts("a,b", "a;b", "it's", 'a"b'), delimiter=";", quote="'", line_end="crlf")
    assert data == b"x\r\na,b\r\n'a;b'\r\n'it''s'\r\na\"b\r\n"


@pytest.mark.parametrize("name", ["we,ird", 'q"uote', "new\nline", "cr\r", "", "日本", "=1+1"])
def test_the_header_is_quoted_like_a_cell(written: Any, read_back: Any, name: str) -> None:
    batch = pa.record_batch([pa.array(["v"]), pa.array([1])], names=[name, "n"])
    data = written(batch)
    assert next(csv.reader(io.StringIO(data.decode(), newline=""))) == [name, "n"]
    assert read_back(data, batch.schema).equals(pa.Table.from_batches([batch]))


def test_two_columns_of_one_name_stay_two(written: Any, read_back: Any) -> None:
    batch = pa.record_batch([pa.array([1]), pa.array([2])], names=["n", "n"])
    assert read_back(written(batch), batch.schema).columns[1].to_pylist() == [2]


def test_a_text_like_the_null_string_is_quoted(written: Any, read_back: Any) -> None:
    batch = texts("\\N", None, "", "\\", "\\N ")
    data = written(batch, null_string="\\N")
    assert data == b'x\n"\\N"\n\\N\n""\n\\\n\\N \n'
    assert read_back(data, batch.schema, null_string="\\N").column("x").to_pylist() == ["\\N", None, "", "\\", "\\N "]


def test_every_type_has_the_null_string(written: Any) -> None:
    kinds = [pa.int64(), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"), pa.binary(), pa.null()]
    batch = pa.record_batch([pa.nulls(1, kind) for kind in kinds], names=list("abcdefg"))
    assert written(batch, null_string="NULL", header=False) == b"NULL,NULL,NULL,NULL,NULL,NULL,NULL\n"


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "|calc"])
def test_a_formula_is_left_as_it_is(written: Any, formula: str) -> None:
    assert written(texts(formula), header=False).decode() == f"{formula}\n"


@pytest.mark.parametrize("header", [True, False])
def test_a_mark_of_the_encoding_at_the_beginning_is_text(written: Any, read_back: Any, *, header: bool) -> None:
    batch = texts("\ufeffa", "\ufeffb", name="\ufeffx")
    data = written(batch, header=header)
    assert data.startswith(b'"\xef\xbb\xbf')
    assert read_back(data, batch.schema, header=header).equals(pa.Table.from_batches([batch]))


def test_the_bytes_under_a_null_are_not_looked_at(written: Any) -> None:
    buffers = pa.array(["a,b", "c", "d"]).buffers()
    masked = pa.Array.from_buffers(pa.string(), 3, [pa.py_buffer(b"\x06"), *buffers[1:]])
    assert written(pa.record_batch({"x": masked}), header=False) == b"\nc\nd\n"
