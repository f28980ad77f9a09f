from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash

from rivet_core.testing import (
    Loss,
    MemoryDestination,
    MemoryOptions,
    MemoryStore,
    all_runs,
    is_finished,
    read_through_manifests,
    rows_of,
)


def write_part(folder: Path, name: str, *ids: int, status: str = "committed") -> dict[str, object]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": pa.array(ids, pa.int64()), "at": pa.array(ids, pa.timestamp("us", "UTC"))}), path)
    data = path.read_bytes()
    return {
        "part_id": 1,
        "path": name,
        "rows": len(ids),
        "size_bytes": len(data),
        "content_fingerprint": f"xxh3:{xxhash.xxh3_64_hexdigest(data)}",
        "status": status,
    }


def write_manifest(folder: Path, name: str, run: str, *parts: dict[str, object], **others: object) -> None:
    rows = sum(int(str(part["rows"])) for part in parts if part["status"] == "committed")
    data = {"run_id": run, "status": "success", "format": "parquet", "row_count": rows, "parts": list(parts), **others}
    (folder / name).write_text(json.dumps(data))


def ids(table: pa.Table) -> list[int]:
    return sorted(table.column("id").to_pylist())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs; the second is canonical. Beside them an orphan, a failed run, and a part that was superseded."""
    one, two = write_part(tmp_path, "a/one.parquet", 1, 2), write_part(tmp_path, "two.parquet", 3)
    write_part(tmp_path, "orphan.parquet", 99)
    gone = write_part(tmp_path, "superseded.parquet", 98, status="superseded")
    failed = write_part(tmp_path, "failed.parquet", 97)
    write_manifest(tmp_path, "manifest-1.json", "1", one, finished_at="2024-01-01T00:00:00Z")
    write_manifest(tmp_path, "manifest-2.json", "2", two, gone, finished_at="2024-01-02T00:00:00Z")
    write_manifest(tmp_path, "manifest-3.json", "3", failed, status="failed")
    write_manifest(tmp_path, "manifest.json", "2", two, gone)
    return tmp_path


def test_the_canonical_manifest_is_read_and_no_orphan(folder: Path) -> None:
    assert ids(rows_of(folder)) == [3]


def test_one_run_is_read_by_its_id(folder: Path) -> None:
    assert ids(rows_of(folder, run_id="1")) == [1, 2]


def test_a_failed_run_is_no_run(folder: Path) -> None:
    assert [account.run_id for account in all_runs(folder)] == ["1", "2"]
    with pytest.raises(Loss, match="no successful manifest of the run 3"):
        rows_of(folder, run_id="3")


def test_every_successful_run_is_read_once(folder: Path) -> None:
    assert ids(read_through_manifests(folder)) == [1, 2, 3]


def test_types_survive_the_independent_reader(folder: Path) -> None:
    assert rows_of(folder).schema.types == [pa.int64(), pa.timestamp("us", "UTC")]


def test_a_missing_part_is_a_loss(folder: Path) -> None:
    (folder / "two.parquet").unlink()
    with pytest.raises(Loss, match=r"names two\.parquet, which is not there"):
        rows_of(folder)


def test_other_bytes_are_a_loss(folder: Path) -> None:
    path = folder / "two.parquet"
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(data)
    with pytest.raises(Loss, match="bytes are others"):
        rows_of(folder)


def test_a_wrong_count_is_a_loss(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "row_count": 7}))
    with pytest.raises(Loss, match="vouches for 7 rows"):
        rows_of(folder)


def test_a_prefix_without_a_manifest_is_a_loss(tmp_path: Path) -> None:
    with pytest.raises(Loss, match=r"no successful manifest\.json"):
        rows_of(tmp_path)
    with pytest.raises(Loss, match="no successful manifest of any run"):
        read_through_manifests(tmp_path)


def test_the_marker_names_the_manifests_bytes(folder: Path) -> None:
    assert not is_finished(folder)
    digest = xxhash.xxh3_64_hexdigest((folder / "manifest.json").read_bytes())
    (folder / "_SUCCESS").write_text(f"xxh3:{digest}\n")
    assert is_finished(folder)
    (folder / "manifest.json").write_text("{}")
    assert not is_finished(folder)


def test_a_destination_is_read_as_a_folder_is(folder: Path) -> None:
    store = MemoryStore()
    to = MemoryDestination(MemoryOptions(store=store))
    for path in folder.rglob("*.*"):
        to.put(str(path.relative_to(folder)), path, create=True)
    assert ids(rows_of(to)) == [3]
    assert ids(read_through_manifests(to)) == [1, 2, 3]


def test_a_strangers_format_is_read_by_its_own_reader(folder: Path) -> None:
    read = rows_of(folder, reader=lambda path, manifest: pa.table({"id": [42]}))
    assert ids(read) == [42]


def test_an_empty_dataset_has_its_schema(tmp_path: Path) -> None:
    import base64

    schema = pa.schema([("id", pa.int64())])
    text = base64.b64encode(schema.serialize().to_pybytes()).decode()
    write_manifest(tmp_path, "manifest.json", "1", arrow_schema=text)
    assert rows_of(tmp_path).schema == schema
