"""What our manifest, kernels and marker make of a dataset must pass in the Rust tool, at every depth."""

from __future__ import annotations

import base64
import decimal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivet_core.manifest.build import build_manifest, extraction_of
from rivet_core.manifest.checksums import column_checksums
from rivet_core.manifest.codec import decode, encode
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.fingerprint import content_fingerprint
from rivet_core.manifest.marker import encode_marker
from rivet_core.manifest.model import Manifest, Mode, Status, Writer
from rivet_core.manifest.names import MANIFEST, SUCCESS, run_manifest
from rivet_core.planning.plan import DatasetPlan
from rivet_core.types import Position, Table

D = decimal.Decimal
#: One column a type; each has a NULL.
COLUMNS: dict[str, pa.Array] = {
    "id": pa.array([1, 2, 3], pa.int64()),
    "bool": pa.array([True, None, False]),
    "int8": pa.array([1, None, -3], pa.int8()),
    "int16": pa.array([1, None, -3], pa.int16()),
    "int32": pa.array([1, None, -3], pa.int32()),
    "uint16": pa.array([1, None, 3], pa.uint16()),
    "uint32": pa.array([1, None, 3], pa.uint32()),
    "uint64": pa.array([1, None, 2**64 - 1], pa.uint64()),
    "float32": pa.array([1.5, None, -0.0], pa.float32()),
    "float64": pa.array([1.5, None, float("nan")], pa.float64()),
    "decimal": pa.array([D("1.25"), None, D("-3.50")], pa.decimal128(38, 9)),
    "wide": pa.array([D("1.25"), None, D("-3.50")], pa.decimal256(60, 2)),
    "date": pa.array([1, None, -1], pa.date32()),
    "date64": pa.array([86_400_000, None, 0], pa.date64()),
    "time": pa.array([1, None, 3], pa.time64("us")),
    "local": pa.array([1, None, -3], pa.timestamp("us")),
    "moment": pa.array([1, None, -3], pa.timestamp("us", "UTC")),
    "nanos": pa.array([1, None, 3], pa.timestamp("ns")),
    "millis": pa.array([1, None, 3], pa.timestamp("ms")),
    "text": pa.array(["ä", None, ""]),
    "large": pa.array(["ä", None, ""], pa.large_string()),
    "bytes": pa.array([b"\0", None, b""]),
    "fixed": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "numbers": pa.array([[1, None], [], None], pa.list_(pa.int32())),
    "words": pa.array([["a", None, ""], [], None], pa.list_(pa.string())),
    "days": pa.array([[1], [], None], pa.list_(pa.date32())),
    "nested": pa.array([{"a": 1}, None, {"a": None}], pa.struct([("a", pa.int32())])),
    "nothing": pa.array([None, None, None], pa.int32()),
}
TABLE = pa.table(COLUMNS)


@attrs.frozen
class Row:
    """A part as a ledger's row has it."""

    key: str
    rows: int
    size: int
    fingerprint: str
    md5: str


def write(prefix: Path, *tables: pa.Table, key: str | None = "id", run_id: str = "t_1", **changes: Any) -> Manifest:
    """Writes a dataset as the ledger does."""
    prefix.mkdir(exist_ok=True)
    parts, counters = [], PartCounters()
    for number, table in enumerate(tables):
        path = prefix / f"{run_id}_{number}.parquet"
        pq.write_table(table, path, compression="zstd")
        found = content_fingerprint(path)
        parts.append(Row(path.name, table.num_rows, found.size_bytes, found.xxh3, found.md5))
        for batch in table.to_batches():
            sums = tuple(sorted(column_checksums(batch, key).items()))
            counters = counters.merge(PartCounters(rows=batch.num_rows, checksums=sums))
    dataset = DatasetPlan(
        name="",
        prefix="",
        relation=Table("items", "public"),
        columns=(),
        schema=TABLE.schema,
        checksum_key=key,
        row_hash=("id", "text"),
    )
    arguments: dict[str, Any] = {
        "run_id": run_id,
        "export_name": "items",
        "status": Status.SUCCESS,
        "mode": Mode.BATCH,
        "engine": "sqlite",
        "extraction": extraction_of("incremental", cursor_column="id", high=Position("int64", "3")),
        "destination_kind": "local",
        "destination_uri": f"{prefix.as_uri()}/",
        "format": "parquet",
        "compression": "zstd",
        "started_at": datetime(2024, 1, 1, tzinfo=UTC),
        "finished_at": datetime(2024, 1, 1, tzinfo=UTC),
        "position": Position.row(Position("int64", "3"), Position("text", "ä")),
        "writer": Writer(name="rivet-core", version="0"),
    }
    manifest = build_manifest(dataset, parts, counters, **(arguments | changes))
    data = encode(manifest)
    (prefix / run_manifest(run_id)).write_bytes(data)
    (prefix / MANIFEST).write_bytes(data)
    (prefix / SUCCESS).write_bytes(encode_marker(data))
    return manifest


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    return tmp_path / "prefix"


@pytest.fixture
def verdict(rust_tool: Any, prefix: Path) -> Callable[..., tuple[int, Any]]:
    """Exit status and failures of the Rust tool."""

    def ask(depth: str = "full") -> tuple[int, Any]:
        status, report = rust_tool.validate(prefix, depth)
        return status, report["failures"]

    return ask


@pytest.mark.parametrize("depth", ["light", "sample", "full"])
def test_a_dataset_of_every_type_passes(prefix: Path, verdict: Any, depth: str) -> None:
    write(prefix, TABLE, TABLE.slice(1))
    assert verdict(depth) == (0, [])


@pytest.mark.parametrize("key", [None, *COLUMNS])
def test_checksums_pass_whatever_column_they_are_keyed_by(prefix: Path, verdict: Any, key: str | None) -> None:
    write(prefix, TABLE, key=key)
    assert verdict() == (0, [])


def test_each_of_our_checksums_is_looked_at(prefix: Path, rust_tool: Any, verdict: Any) -> None:
    manifest = write(prefix, TABLE)
    assert len(manifest.column_checksums) == 19
    for name, _ in manifest.column_checksums:
        wrong = tuple((other, value ^ (other == name)) for other, value in manifest.column_checksums)
        data = encode(attrs.evolve(manifest, column_checksums=wrong))
        (prefix / MANIFEST).write_bytes(data)
        (prefix / SUCCESS).write_bytes(encode_marker(data))
        status, failures = verdict()
        assert (status, [failure["code"] for failure in failures]) == (3, ["RIVET_VERIFY_VALUE_CHECKSUM"])
        assert f"'{name}'" in failures[0]["detail"]


def test_a_dataset_without_parts_passes(prefix: Path, verdict: Any) -> None:
    write(prefix)
    assert verdict() == (0, [])


def test_a_typed_empty_part_passes(prefix: Path, verdict: Any) -> None:
    write(prefix, TABLE.schema.empty_table())
    assert verdict() == (0, [])


def test_an_empty_part_beside_a_full_one_passes(prefix: Path, verdict: Any) -> None:
    write(prefix, TABLE.schema.empty_table(), TABLE)
    assert verdict() == (0, [])


def test_two_runs_at_one_prefix_leave_nothing_untracked(prefix: Path, verdict: Any) -> None:
    write(prefix, TABLE, run_id="t_1")
    write(prefix, TABLE, run_id="t_2")
    assert verdict("sample") == (0, [])


def test_a_flipped_byte_is_found(prefix: Path, verdict: Any) -> None:
    write(prefix, pa.table({"id": range(1000)}), key=None)
    path = prefix / "t_1_0.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert verdict()[0] == 3


def test_a_failed_run_is_unverified(prefix: Path, verdict: Any) -> None:
    write(prefix, TABLE, status=Status.FAILED)
    (prefix / SUCCESS).unlink()
    status, failures = verdict()
    assert (status, [failure["code"] for failure in failures]) == (1, ["RIVET_VERIFY_RUN_NOT_SUCCESSFUL"])


def test_changes_in_rolls_pass(prefix: Path, verdict: Any) -> None:
    write(prefix, TABLE, mode=Mode.CDC, roll=1)
    assert verdict() == (0, [])


def test_what_it_leaves_alone_is_all_there(prefix: Path) -> None:
    write(prefix, TABLE)
    manifest = decode((prefix / MANIFEST).read_bytes())
    assert manifest.position is not None
    assert manifest.arrow_schema is not None
    assert pa.ipc.read_schema(pa.py_buffer(base64.b64decode(manifest.arrow_schema))) == TABLE.schema
