"""One file of many exports, run by both programs: equal rows, types, bits, manifests, and a list of what is not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from interop_datasets import OURS_ALONE, Dataset, differences
from interop_pair import SOURCE, Both, Pair, export, query

from rivet_core.manifest.codec import decode

ROWS = query("SELECT id, small, name, price, flag, day, moment, code FROM items ORDER BY id")
EMPTY = query("SELECT * FROM items WHERE false")
META = {"meta_columns": {"exported_at": True, "row_hash": True}}


def grouped(**parquet: Any) -> dict[str, Any]:
    return {"parquet": parquet}


EXPORTS: tuple[dict[str, Any], ...] = (
    export("table", "items"),
    export("table-of-a-schema", "public.items", mode="full"),
    export("table-in-capitals", "Public.MANY"),
    export("query", query("SELECT id, name, words FROM items WHERE id > 990;")),
    export("query-with-a-comment", query("SELECT 1 AS one -- and no more")),
    export("query-file", {"query_file": "queries/late.sql"}),
    export("kinds", query("SELECT * FROM kinds"), columns={"c_numeric": "decimal(38, 9)"}),
    *(export(f"zstd-{level}", "items", compression="zstd", compression_level=level) for level in (1, 22)),
    *(export(f"gzip-{level}", "items", compression="gzip", compression_level=level) for level in (0, 9)),
    *(export(f"codec-{word}", "items", compression=word) for word in ("zstd", "snappy", "gzip", "lz4", "none")),
    *(export(f"profile-{w}", "items", compression_profile=w) for w in ("none", "fast", "balanced", "compact")),
    export("profile-over-codec", "items", compression="snappy", compression_profile="compact"),
    export("parquet", "many", **grouped()),
    export("parquet-auto", "many", **grouped(row_group_strategy="auto", target_row_group_mb=128)),
    export("parquet-rows", "many", **grouped(row_group_strategy="fixed_rows", row_group_rows=7000)),
    export("parquet-few-rows", "items", **grouped(row_group_strategy="fixed_rows", row_group_rows=10)),
    export("parquet-memory", "many", **grouped(row_group_strategy="fixed_memory", target_row_group_mb=64)),
    export("parquet-most", "many", **grouped(max_row_group_mb=256)),
    export("size", "many", max_file_size="1MB"),
    export("size-of-csv", "many", max_file_size="1.5 mb", format="csv"),
    export("large-size", "many", max_file_size="1GB"),
    export("bytes", "items", max_file_size=100_000_000),
    export("skip-empty", EMPTY, skip_empty=True),
    export("skip-empty-of-rows", ROWS, skip_empty=True),
    export("nothing", "nothing"),
    export("nothing-in-csv", "nothing", format="csv"),
    export("exported-at", "items", meta_columns={"exported_at": True}),
    export("row-hash", "items", meta_columns={"row_hash": True}),
    export("row-hash-of-some", "items", meta_columns={"row_hash": ["words", "wide", "moment", "id"]}),
    export("no-row-hash", "items", meta_columns={"row_hash": False, "exported_at": False}),
    export("both-meta-columns", "kinds", columns={"c_numeric": "decimal(20,4)"}, **META),
    export("columns", "items", columns={"small": "int", "items.medium": "bigint", "id": "decimal(20,0)"}),
    export("columns-of-both", "items", columns={"small": "int", "items.small": "bigint", "id": "int8"}),
    export("quality", "items", quality={"row_count_min": 1000, "row_count_max": 1000}),
    export("null-ratio", "items", quality={"null_ratio_max": {"name": 0.2, "id": 0}}),
    export("unique", "items", quality={"unique_columns": ["id", "code"], "unique_max_entries": 1000}),
    export("nulls-are-not-twice", query("SELECT NULL::int AS a FROM items"), quality={"unique_columns": ["a"]}),
    export("no-rows-no-ratio", "nothing", quality={"null_ratio_max": {"id": 0}, "row_count_max": 0}),
    export("verify", "items", verify="size"),
    *(export(f"drift-{word}", "items", on_schema_drift=word) for word in ("warn", "continue", "fail")),
    export("shape", "items", shape_drift_warn_factor=0),
    *(export(f"target-{word}", "items", target=word) for word in ("bq", "BigQuery", "sf", "duck", "clickhouse")),
    *(export(f"tuning-{word}", "items", tuning={"profile": word}) for word in ("fast", "balanced", "safe")),
    export(
        "tuning",
        "many",
        tuning={
            "batch_size": 20_000,
            "throttle_ms": 1,
            "statement_timeout_s": 60,
            "lock_timeout_s": 5,
            "max_retries": 1,
            "retry_backoff_ms": 1,
            "memory_threshold_mb": 100_000,
            "max_batch_memory_mb": 64,
            "on_batch_memory_exceeded": "auto_shrink",
            "max_value_mb": 1,
        },
    ),
    export("tuning-by-memory", "many", tuning={"batch_size_memory_mb": 4}),
    export("for-other-tools", "items", wave=1, parallel_safe=True, source_group="g", reconcile_required=True),
    export("defaults", "items", chunk_size=100_000, chunk_checkpoint=False, incremental_cursor_mode="single_column"),
    export("empty-keys", "items", quality=None, parquet=None, cursor_column=None, cdc=None, max_file_size=None),
    export("csv", ROWS, format="csv"),
    export("csv-with-meta-columns", ROWS, format="csv", meta_columns={"row_hash": ["id", "name"]}),
    export(
        "csv-of-kinds", query("SELECT id, c_bytea, c_time, c_timestamptz, c_jsonb, c_enum FROM kinds"), format="csv"
    ),
    export("a name", "items"),
    export("é日", "items"),
    export("7", "items"),
    export("dated", ROWS, destination={"type": "local", "path": "out/x-{export}/{date}/{table}/{other}/"}),
)
NAMES = [one["name"] for one in EXPORTS]
SKIPPED = {"skip-empty"}

#: In every file: no reader is misled by them, see docs/compatibility.md.
PHYSICAL = frozenset({"created_by", "field metadata"})
LISTS = frozenset({"list items"})
#: Without rows we write a typed part and fingerprint the planned columns.
ZERO_ROWS = frozenset({"part_count", "schema_fingerprint"})
#: We hold checksums of CSV's columns as well.
CSV_SUMS = frozenset({"column_checksums", "checksum_render"})
META_NULLABLE = frozenset({"nullable", "physical types"})
SCALARS = {
    *(
        "query-with-a-comment",
        "query-file",
        "kinds",
        "both-meta-columns",
        "nulls-are-not-twice",
        "table-in-capitals",
        "size",
    ),
    *("large-size", "tuning", "tuning-by-memory", "dated", "skip-empty-of-rows"),
}
#: What differs beyond that, export by export; a difference that is not here fails.
FURTHER: dict[str, frozenset[str]] = {
    "nothing": ZERO_ROWS,
    "no-rows-no-ratio": ZERO_ROWS,
    "nothing-in-csv": ZERO_ROWS,
    "csv": CSV_SUMS,
    "csv-with-meta-columns": CSV_SUMS,
    "csv-of-kinds": CSV_SUMS,
    # A part ends with a batch, and its data is counted before it is encoded.
    # Sizes are of other bytes there, and their parts end with larger batches.
    "size": frozenset({"row groups", "part_count"}),
    "size-of-csv": CSV_SUMS | {"part_count"},
    # Ours may hold NULL by their schema, as all of our columns may.
    **dict.fromkeys(("exported-at", "row-hash", "row-hash-of-some", "both-meta-columns"), META_NULLABLE),
    # Ours is what the server calls the table.
    "table-in-capitals": frozenset({"source.schema", "source.table"}),
    # Ours is a URL, in which these characters are escaped.
    "a name": frozenset({"destination.uri"}),
    "é日": frozenset({"destination.uri"}),
    "dated": frozenset({"destination.uri"}),
}


def justified(name: str) -> set[str]:
    """What may differ in an export."""
    one = next(one for one in EXPORTS if one["name"] == name)
    empty = FURTHER.get(name, frozenset()) >= ZERO_ROWS
    if one["format"] == "csv" or empty:
        return set(FURTHER[name])
    lists = frozenset() if name in SCALARS or one.get("table") == "many" else LISTS
    return set(PHYSICAL | lists | FURTHER.get(name, frozenset()))


@pytest.fixture(scope="session")
def ran(rust_tool: Any, tables: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, Both]:
    """Both programs' folders, and how they ended."""
    pair = Pair(rust=rust_tool.path, folder=tmp_path_factory.mktemp("exports"), url=tables)
    pair.configure(EXPORTS, source={**SOURCE, "environment": "local", "tuning": {"max_retries": 0}})
    pair.write("SELECT id, '${WORD}' AS word FROM items WHERE id > ${AFTER}", file="queries/late.sql")
    return pair, pair.run("-p", "AFTER=990", WORD="it''s")


def prefix(root: Path, name: str) -> Path:
    if name == "dated":
        return root / "out" / f"x-{name}" / f"{datetime.now(UTC):%Y-%m-%d}" / name / "{other}"
    return root / "out" / name


def datasets(pair: Pair, name: str) -> tuple[Dataset, Dataset]:
    return Dataset.at(prefix(pair.ours, name)), Dataset.at(prefix(pair.theirs, name))


def test_both_end_well(ran: tuple[Pair, Both]) -> None:
    assert ran[1].codes == (0, 0), ran[1].ours.err + ran[1].theirs.err


@pytest.mark.parametrize("key", ["status", "rows"])
def test_both_report_the_same_of_each_export(ran: tuple[Pair, Both], key: str) -> None:
    ours, theirs = (ended.exports() for ended in (ran[1].ours, ran[1].theirs))
    assert {name: one[key] for name, one in ours.items()} == {name: one[key] for name, one in theirs.items()}
    assert set(ours) == set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SKIPPED])
def test_nothing_differs_that_is_not_listed(ran: tuple[Pair, Both], name: str) -> None:
    assert differences(*datasets(ran[0], name)) == justified(name)


@pytest.mark.parametrize("name", sorted(SKIPPED))
def test_an_export_that_is_skipped_leaves_its_prefix_alone(ran: tuple[Pair, Both], name: str) -> None:
    found = [
        [path for path in prefix(root, name).rglob("*") if path.is_file()] for root in (ran[0].ours, ran[0].theirs)
    ]
    assert found == [[], []]


def test_what_is_not_the_same_would_be_seen(ran: tuple[Pair, Both]) -> None:
    names = {"export_name", "export_family", "destination.uri"}
    (ours, _), (_, theirs) = datasets(ran[0], "columns"), datasets(ran[0], "codec-none")
    found = {"schema_fingerprint", "column_checksums", "compression", "types", "physical types", "codec"}
    assert differences(ours, theirs) == names | found | {"bits of values"} | PHYSICAL | LISTS
    (ours, _), (_, theirs) = datasets(ran[0], "query-with-a-comment"), datasets(ran[0], "nulls-are-not-twice")
    found = {"names", "physical types", "row groups", "schema_fingerprint", "column_checksums", "row_count", "codec"}
    assert differences(ours, theirs) == names | found | {"values", "bits of values"} | PHYSICAL


def test_our_manifests_have_every_field_and_few_of_their_own(ran: tuple[Pair, Both]) -> None:
    ours, theirs = datasets(ran[0], "both-meta-columns")
    assert ours.manifest.keys() - theirs.manifest.keys() == OURS_ALONE
    assert theirs.manifest.keys() <= ours.manifest.keys()


def test_row_hashes_are_equal_and_not_all_one(ran: tuple[Pair, Both]) -> None:
    ours, theirs = datasets(ran[0], "row-hash-of-some")
    assert ours.manifest["row_hash"] == theirs.manifest["row_hash"]
    assert ours.manifest["row_hash"]["covered"] == ["words", "wide", "moment", "id"]


def test_all_rows_of_an_export_have_one_moment(ran: tuple[Pair, Both]) -> None:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for dataset in datasets(ran[0], "exported-at"):
        column = pq.read_table(dataset.files[0], columns=["_rivet_exported_at"]).column(0)
        assert (str(column.type), pc.count_distinct(column).as_py()) == ("timestamp[us, tz=UTC]", 1)


def test_parts_close_at_the_size_that_was_asked_for(ran: tuple[Pair, Both]) -> None:
    """Never long after it: what is still to come is no larger than a batch."""
    ours, theirs = datasets(ran[0], "size-of-csv")
    assert min(len(one.files) for one in (ours, theirs)) > 1


def test_the_rust_tool_says_of_what_we_wrote_what_it_says_of_its_own(ran: tuple[Pair, Both], rust_tool: Any) -> None:
    verified = []
    for folder in (ran[0].ours, ran[0].theirs):
        done = rust_tool.run(folder, "validate", "-c", "rivet.yaml", "--format", "json")
        exports = {one["export_name"]: one["verification"] for one in json.loads(done.stdout)["exports"]}
        verified.append((done.returncode, {name: (one["passed"], one["failures"]) for name, one in exports.items()}))
    assert verified[0] == verified[1]
    assert verified[0][0] == 0


def test_our_own_reader_knows_every_field(ran: tuple[Pair, Both]) -> None:
    for name in set(NAMES) - SKIPPED:
        assert decode((prefix(ran[0].theirs, name) / "manifest.json").read_bytes()).export_name == name
