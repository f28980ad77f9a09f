from __future__ import annotations

from typing import Any

import attrs
import pyarrow as pa
import pytest

from rivet_core.manifest.build import encode_schema
from rivet_core.manifest.model import Extraction, Manifest, ManifestSource, Part, RowHash, Status, Writer
from rivet_core.types import Position

FULL = Manifest(
    run_id="orders_20240102T030405.678_0011223344556677",
    export_name="orders",
    export_family="orders",
    started_at="2024-01-02T03:04:05.678000+00:00",
    finished_at="2024-01-02T03:05:00.000000+00:00",
    status=Status.SUCCESS,
    source=ManifestSource(
        engine="postgres",
        schema="public",
        table="orders",
        extraction=Extraction(
            strategy="incremental", cursor_column="id", cursor_type="int64", cursor_low="0", cursor_high="42"
        ),
    ),
    destination_kind="local",
    destination_uri="file:///data/orders",
    format="parquet",
    compression="zstd",
    schema_fingerprint="xxh3:58f9a9f40eab8647",
    row_count=5,
    part_count=2,
    parts=(
        Part(part_id=1, path="a.parquet", rows=2, size_bytes=10, content_fingerprint="xxh3:00", content_md5="AA=="),
        Part(part_id=2, path="sub/b.parquet", rows=3, size_bytes=20, content_fingerprint="xxh3:01"),
    ),
    column_checksums=(("id", 18446744073709551615), ("näme", 0)),
    checksum_render="xxh3-64-sum-v2",
    checksum_key_column="id",
    row_hash=RowHash(column="_rivet_row_hash", covered=("id", "näme"), render="r"),
    nulled=(("when", 3),),
    position=Position("row", (Position("int64", "42"), Position("text", "ä"))),
    roll=7,
    arrow_schema=encode_schema(pa.schema([("id", pa.int64())])),
    writer=Writer(name="rivet-core", version="0.1.0"),
)


@pytest.fixture
def manifest() -> Manifest:
    """A manifest in which every optional field is there."""
    return FULL


@pytest.fixture
def bare() -> Manifest:
    """A manifest in which no optional field is there."""
    names = ("export_family", "checksum_render", "checksum_key_column", "row_hash", "position", "roll")
    without: dict[str, Any] = dict.fromkeys((*names, "arrow_schema", "writer"))
    source = ManifestSource(engine="sqlite")
    return attrs.evolve(
        FULL, **without, source=source, column_checksums=(), nulled=(), parts=(), row_count=0, part_count=0
    )
