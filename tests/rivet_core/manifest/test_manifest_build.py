from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import attrs
import pyarrow as pa
import pytest

from rivet_core.errors import InternalError
from rivet_core.manifest.build import build_manifest, decode_schema, encode_schema, extraction_of
from rivet_core.manifest.codec import decode, encode
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.model import Extraction, Manifest, ManifestSource, Mode, PartStatus, RowHash, Status, Writer
from rivet_core.planning.plan import DatasetPlan
from rivet_core.types import Position, Query, Table

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), metadata={"rivet.native_type": "bigint"}),
        pa.field("name", pa.string()),
        pa.field("_rivet_exported_at", pa.timestamp("us", "UTC")),
        pa.field("_rivet_row_hash", pa.int64()),
    ]
)
DATASET = DatasetPlan(
    name="",
    prefix="",
    relation=Table("orders", "sales"),
    columns=(),
    schema=SCHEMA,
    checksum_key="id",
    row_hash=("id", "name"),
)
COUNTERS = PartCounters(rows=5, checksums=(("name", 7), ("id", 9)), nulled=(("when", 2), ("id", 0)))


@attrs.frozen
class Row:
    """A part as a ledger's row has it."""

    key: str
    rows: int
    size: int = 10
    fingerprint: str = "xxh3:0000000000000000"
    md5: str = "AA=="


def build(dataset: DatasetPlan = DATASET, parts: tuple[Row, ...] | None = None, **changes: Any) -> Manifest:
    arguments: dict[str, Any] = {
        "counters": COUNTERS,
        "run_id": "r1",
        "export_name": "orders",
        "status": Status.SUCCESS,
        "mode": Mode.BATCH,
        "engine": "postgres",
        "extraction": extraction_of("full"),
        "destination_kind": "local",
        "destination_uri": "file:///data/",
        "format": "parquet",
        "compression": "zstd",
        "started_at": datetime(2024, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
        "finished_at": datetime(2024, 1, 2, 3, 4, 6, tzinfo=UTC),
        "writer": Writer(name="rivet-core", version="1"),
    }
    rows = parts if parts is not None else (Row(f"{dataset.prefix}b", 2), Row(f"{dataset.prefix}a", 3))
    return build_manifest(dataset, rows, **(arguments | changes))


def test_the_same_records_give_the_same_bytes() -> None:
    assert encode(build()) == encode(build())


def test_parts_keep_the_order_in_which_they_were_recorded() -> None:
    assert [(part.part_id, part.path, part.rows, part.status) for part in build().parts] == [
        (1, "b", 2, PartStatus.COMMITTED),
        (2, "a", 3, PartStatus.COMMITTED),
    ]


def test_counts_are_those_of_the_parts() -> None:
    manifest = build()
    assert (manifest.row_count, manifest.part_count) == (5, 2)


def test_paths_are_relative_to_the_datasets_prefix() -> None:
    manifest = build(attrs.evolve(DATASET, prefix="t/"))
    assert [part.path for part in manifest.parts] == ["b", "a"]
    assert manifest.destination_uri == "file:///data/t"


def test_a_part_outside_of_the_datasets_prefix_is_a_bug() -> None:
    with pytest.raises(InternalError, match="below its dataset's prefix"):
        build(attrs.evolve(DATASET, prefix="t/"), (Row("u/a", 5),))


def test_rows_that_the_counters_do_not_know_are_a_bug() -> None:
    with pytest.raises(InternalError, match="4 rows and its counters 5"):
        build(parts=(Row("a", 4),))


def test_checksums_are_sorted_by_name_and_keyed() -> None:
    manifest = build()
    assert manifest.column_checksums == (("id", 9), ("name", 7))
    assert (manifest.checksum_render, manifest.checksum_key_column) == ("xxh3-64-sum-v2", "id")


def test_a_key_without_canonical_bytes_counts_as_none() -> None:
    # The Rust tool would key the NULLs among its values all the same.
    odd = pa.schema([pa.field("id", pa.uint32()), pa.field("name", pa.string())])
    manifest = build(attrs.evolve(DATASET, schema=odd, row_hash=None))
    assert (manifest.checksum_render, manifest.checksum_key_column) == ("xxh3-64-sum-v2", None)


def test_without_rows_there_are_no_checksums() -> None:
    # The Rust tool fails on checksums that no row stands behind.
    counters = PartCounters(checksums=(("id", 0), ("name", 0)))
    manifest = build(parts=(Row("empty", 0),), counters=counters)
    assert (manifest.column_checksums, manifest.checksum_render, manifest.checksum_key_column) == ((), None, None)


def test_nulled_cells_are_named_where_there_are_any() -> None:
    assert build().nulled == (("when", 2),)


def test_a_table_is_named_by_schema_and_name() -> None:
    full = Extraction(strategy="full")
    assert build().source == ManifestSource(engine="postgres", schema="sales", table="orders", extraction=full)


def test_a_query_has_no_table() -> None:
    assert build(attrs.evolve(DATASET, relation=Query("SELECT 1"))).source.table is None


def test_a_row_hash_over_every_source_column_says_so() -> None:
    row_hash = build().row_hash
    assert row_hash == RowHash(column="_rivet_row_hash", covered=None, render="xxh3-128-i64-arrow-display-us-v2")


def test_a_row_hash_over_some_columns_names_them() -> None:
    row_hash = build(attrs.evolve(DATASET, row_hash=("name",))).row_hash
    assert row_hash is not None
    assert row_hash.covered == ("name",)


def test_the_schema_arrives_with_its_metadata() -> None:
    text = decode(encode(build())).arrow_schema
    assert text is not None
    assert decode_schema(text).equals(SCHEMA, check_metadata=True)


@pytest.mark.parametrize("text", ["", "AAAA", "?", encode_schema(SCHEMA)[:40]])
def test_what_is_no_schema_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="no Arrow schema"):
        decode_schema(text)


def test_the_fingerprint_leaves_out_the_columns_that_we_add() -> None:
    plain = attrs.evolve(DATASET, schema=pa.schema([SCHEMA.field(0), SCHEMA.field(1)]))
    assert build().schema_fingerprint == build(plain).schema_fingerprint


def test_clock_values_are_what_was_handed_in() -> None:
    manifest = build()
    assert (manifest.started_at, manifest.finished_at) == (
        "2024-01-02T03:04:05.000678+00:00",
        "2024-01-02T03:04:06.000000+00:00",
    )


def test_a_clock_value_without_a_zone_is_a_bug() -> None:
    with pytest.raises(InternalError, match="no time zone"):
        build(started_at=datetime(2024, 1, 2))  # noqa: DTZ001 - that is the point


def test_the_position_is_kept_exactly() -> None:
    position = Position.row(Position("int64", "1"), Position("text", "x"))
    assert decode(encode(build(position=position))).position == position


def test_a_cursor_of_one_key_is_told_as_text() -> None:
    extraction = extraction_of(
        "incremental", cursor_column="id", low=Position("int64", "1"), high=Position("int64", "9"), source_rows=8
    )
    assert extraction == Extraction(
        strategy="incremental",
        cursor_column="id",
        cursor_type="int64",
        cursor_low="1",
        cursor_high="9",
        source_row_count=8,
    )


def test_a_cursor_of_several_keys_has_no_text() -> None:
    high = Position.row(Position("int64", "1"), Position("int64", "2"))
    assert extraction_of("keyset", high=high).cursor_high is None


@pytest.mark.parametrize(
    ("runner", "strategy"), [("time_window", "timewindow"), ("keyset", "keyset"), ("by_x", "by_x")]
)
def test_a_strategy_has_the_rust_tools_word_where_it_has_one(runner: str, strategy: str) -> None:
    assert extraction_of(runner).strategy == strategy
