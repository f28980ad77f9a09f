"""A dataset to verify, at a destination in memory that can be damaged."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rivet_core.engine.validation_readers import readers_of
from rivet_core.errors import RefusalError
from rivet_core.manifest.build import build_manifest, extraction_of
from rivet_core.manifest.checksums import column_checksums
from rivet_core.manifest.codec import encode
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.fingerprint import content_fingerprint
from rivet_core.manifest.marker import encode_marker
from rivet_core.manifest.model import Mode, Status, Writer
from rivet_core.manifest.names import MANIFEST, SUCCESS, run_manifest
from rivet_core.planning.plan import DatasetPlan
from rivet_core.plugins import Plugins
from rivet_core.protocols import Destination, ReadableFormat
from rivet_core.types import ObjectInfo, PutReceipt, Table, Verdict

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])


class Store:
    """A destination in memory: objects are bytes, and a key in ``broken`` cannot be read."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.broken: set[str] = set()
        self.md5 = False
        self.calls: list[str] = []

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        return self.put_bytes(key, path.read_bytes(), create=create)

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        self.objects[key] = data
        return PutReceipt(key=key, size=len(data))

    def get(self, key: str, limit: int) -> bytes | None:
        self._call("get", key)
        data = self.objects.get(key)
        if data is not None and len(data) > limit:
            msg = f"{key} is larger than {limit} bytes"
            raise RefusalError(msg, code="RIVET_DEST_CONTROL_ARTIFACT_INVALID")
        return data

    def download(self, key: str, path: Path) -> None:
        self._call("download", key)
        with path.open("xb") as file:
            file.write(self.objects[key])

    def stat(self, key: str) -> ObjectInfo | None:
        return self._info(key) if key in self.objects else None

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        self._call("list", prefix)
        yield from (self._info(key) for key in self.objects if not prefix or key.startswith(f"{prefix}/"))

    def move(self, key: str, to: str) -> None:
        self.objects[to] = self.objects.pop(key)

    def staging(self) -> Path | None:
        return None

    def uri(self) -> str:
        return "memory:///"

    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.FATAL

    def close(self) -> None:
        pass

    def _call(self, what: str, key: str) -> None:
        self.calls.append(f"{what} {key}")
        if key in self.broken:
            msg = f"the store is away: postgresql://u:secret@h/{key}"
            raise OSError(msg)

    def _info(self, key: str) -> ObjectInfo:
        data = self.objects[key]
        digest = base64.b64encode(hashlib.md5(data).digest()).decode()
        return ObjectInfo(key=key, size=len(data), md5=digest if self.md5 else None)


@attrs.frozen
class Row:
    """A part as a ledger's row has it."""

    key: str
    rows: int
    size: int
    fingerprint: str
    md5: str


@attrs.frozen
class Place:
    """Writes datasets to a store as the ledger does: parts, the run's own manifest, the canonical pair."""

    store: Destination
    folder: Path
    rows: tuple[pa.Table, ...]

    def write(
        self,
        run_id: str = "r1",
        tables: Sequence[pa.Table] | None = None,
        *,
        prefix: str = "",
        canonical: bool = True,
        **changes: Any,
    ) -> bytes:
        """Returns the manifest's bytes."""
        key: str | None = "id"
        written, counters = [], PartCounters()
        for number, table in enumerate(self.rows if tables is None else tables):
            path = self.folder / "part.parquet"
            pq.write_table(table, path)
            found = content_fingerprint(path)
            row = Row(f"{prefix}{run_id}_{number}.parquet", table.num_rows, found.size_bytes, found.xxh3, found.md5)
            self.store.put(row.key, path, create=True)
            written.append(row)
            counters = counters.merge(PartCounters(rows=table.num_rows))
            for batch in table.to_batches():
                sums = tuple(sorted(column_checksums(batch, key).items()))
                counters = counters.merge(PartCounters(checksums=sums))
        dataset = DatasetPlan(name="", prefix=prefix, relation=Table("t"), columns=(), schema=SCHEMA, checksum_key=key)
        arguments: dict[str, Any] = {
            "run_id": run_id,
            "export_name": "t",
            "status": Status.SUCCESS,
            "mode": Mode.BATCH,
            "engine": "sqlite",
            "extraction": extraction_of("full"),
            "destination_kind": "memory",
            "destination_uri": self.store.uri(),
            "format": "parquet",
            "compression": "snappy",
            "started_at": datetime(2024, 1, 1, tzinfo=UTC),
            "finished_at": datetime(2024, 1, 1, tzinfo=UTC),
            "writer": Writer(name="rivet-core", version="0"),
        }
        rolled = changes.get("roll") if not canonical else None
        data = encode(build_manifest(dataset, written, counters, **(arguments | changes)))
        self.store.put_bytes(f"{prefix}{run_manifest(run_id, rolled)}", data, create=False)
        if canonical:
            self.store.put_bytes(f"{prefix}{MANIFEST}", data, create=False)
            self.store.put_bytes(f"{prefix}{SUCCESS}", encode_marker(data), create=False)
        return data


ROWS = (
    pa.table({"id": [1, 2], "name": ["a", None]}, schema=SCHEMA),
    pa.table({"id": [3, 4, 5], "name": ["c", "d", ""]}, schema=SCHEMA),
)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def place(store: Store, tmp_path: Path) -> Place:
    return Place(store, tmp_path, ROWS)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[Place]:
    """The same over a folder."""
    declared = Plugins.installed({}).destination_type("local")
    with closing(declared.factory(declared.options(path=tmp_path / "prefix"))) as destination:
        yield Place(destination, tmp_path, ROWS)


@pytest.fixture
def reader_of() -> Callable[[str], ReadableFormat | None]:
    """The readable formats by their words in manifests."""
    return readers_of(Plugins.installed({}))
