from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from rivet_core.formats.csv.options import CsvOptions
from rivet_core.testing import FormatContract, PackagingContract, installed

TYPES = {
    pa.bool_(): "BOOLEAN",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.uint64(): "UBIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "VARCHAR",
    pa.binary(): "BLOB",
    pa.date32(): "DATE",
    pa.time64("us"): "TIME",
    pa.timestamp("us"): "TIMESTAMP",
    pa.timestamp("us", "UTC"): "TIMESTAMPTZ",
}


def read_by_duckdb(path: Path, schema: pa.Schema, options: CsvOptions) -> pa.Table:
    content = path.read_bytes()
    assert content.endswith(options.line_break().encode()), "the last line has no end"
    if options.header:
        with path.open(encoding="utf-8", newline="") as file:
            names = next(csv.reader(file, delimiter=options.delimiter, quotechar=options.quote))
        assert names == schema.names
    columns = {f"c{number}": "VARCHAR" for number in range(len(schema))}
    casts = [cast(f"c{number}", field.type) for number, field in enumerate(schema)]
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql(
            f"SELECT {', '.join(casts)} FROM read_csv(?, auto_detect = false, columns = {columns}, header = ?,"
            " delim = ?, quote = ?, escape = ?, nullstr = ?, allow_quoted_nulls = false, strict_mode = true)",
            params=[str(path), options.header, options.delimiter, options.quote, options.quote, options.null_string],
        ).to_arrow_table()
    return pa.table(
        [column.cast(field.type) for column, field in zip(found.columns, schema, strict=True)], schema=schema
    )


def cast(column: str, kind: pa.DataType) -> str:
    if pa.types.is_binary(kind):
        return f"unhex({column})"
    return f"CAST({column} AS {TYPES.get(kind) or f'DECIMAL({kind.precision}, {kind.scale})'})"


class TestCsv(FormatContract):
    declaration = installed("format.csv")

    @pytest.fixture
    def options(self) -> CsvOptions:
        return CsvOptions()

    @pytest.fixture
    def read_back(self, options: CsvOptions) -> Callable[[Path, pa.Schema], pa.Table]:
        return lambda path, schema: read_by_duckdb(path, schema, options)


class TestCsvInAnotherDialect(TestCsv):
    @pytest.fixture
    def options(self) -> CsvOptions:
        return CsvOptions(delimiter="|", quote="'", null_string="\\N", header=False)


class TestCsvPackaging(PackagingContract):
    entry = "format.csv"

    @pytest.fixture
    def options_text(self) -> str:
        return 'delimiter: ";"\nquote: "\'"\nnull_string: \\N\nline_end: crlf\nheader: false\ncompression: none'
