"""CSV files made and read back in one call."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pytest

from rivet_core.formats.csv.format import CsvFormat
from rivet_core.formats.csv.options import CsvOptions


class Written(Protocol):
    def __call__(self, *batches: pa.RecordBatch, **options: Any) -> bytes: ...


class ReadBack(Protocol):
    def __call__(self, data: bytes, schema: pa.Schema, **options: Any) -> pa.Table: ...


@pytest.fixture(scope="session")
def written() -> Written:
    """Return a whole file's bytes; all batches have the first one's schema."""

    def write(*batches: pa.RecordBatch, **options: Any) -> bytes:
        out = io.BytesIO()
        writer = CsvFormat(CsvOptions(**options)).writer(out, batches[0].schema)
        for batch in batches:
            writer.write(batch)
        writer.finish()
        assert writer.size() == len(out.getvalue())
        return out.getvalue()

    return write


@pytest.fixture(scope="session")
def read_back(tmp_path_factory: pytest.TempPathFactory) -> ReadBack:
    """Return the rows that the format itself finds in a file."""
    path = Path(tmp_path_factory.mktemp("csv")) / "part.csv"

    def read(data: bytes, schema: pa.Schema, **options: Any) -> pa.Table:
        path.write_bytes(data)
        return pa.Table.from_batches(CsvFormat(CsvOptions(**options)).reader(path, schema), schema=schema)

    return read
