from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from rivet_core.formats.parquet.options import ParquetOptions, RowGroups
from rivet_core.testing import FormatContract, PackagingContract, installed


def read_by_duckdb(path: Path, schema: pa.Schema) -> pa.Table:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        found = connection.sql("SELECT * FROM read_parquet(?)", params=[str(path)]).to_arrow_table()
    return pa.table(
        [column.cast(field.type) for column, field in zip(found.columns, schema, strict=True)], schema=schema
    )


class TestParquet(FormatContract):
    declaration = installed("format.parquet")

    @pytest.fixture
    def options(self) -> ParquetOptions:
        return ParquetOptions()

    @pytest.fixture
    def read_back(self) -> Callable[[Path, pa.Schema], pa.Table]:
        return read_by_duckdb


class TestParquetInSmallRowGroups(TestParquet):
    @pytest.fixture
    def options(self) -> ParquetOptions:
        groups = RowGroups(row_group_strategy="fixed_rows", row_group_rows=1000)
        return ParquetOptions(compression="snappy", parquet=groups)


class TestParquetPackaging(PackagingContract):
    entry = "format.parquet"

    @pytest.fixture
    def options_text(self) -> str:
        return (
            "compression: zstd\ncompression_level: 9\nparquet: {row_group_strategy: fixed_rows, row_group_rows: 1000}"
        )
