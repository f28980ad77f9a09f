"""A format, a source and plans for tests of the sink and of what feeds it: small, but they keep the contract."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.capabilities import Restart, RollPolicy, RunnerCapabilities
from rivet_core.engine.produce import produce
from rivet_core.engine.sink import Recipe, UnitTask
from rivet_core.ledger.finished import Produced
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH, DatasetPlan, Plan
from rivet_core.protocols import Batch
from rivet_core.requests import HIDDEN_PREFIX, After, Chosen, ColumnKey, Intent, Paging, ReadContext, ReadRequest, Unit
from rivet_core.types import Column, Position, SourceIdentity, Table

NOW = datetime(2026, 5, 4, 3, 2, 1, 123456, tzinfo=UTC)
KEYS = (ColumnKey("id"),)
SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])


@attrs.frozen
class IpcWriter:
    out: BinaryIO
    writer: pa.RecordBatchFileWriter

    def write(self, batch: pa.RecordBatch) -> None:
        self.writer.write_batch(batch)

    def size(self) -> int:
        return self.out.tell()

    def finish(self) -> None:
        self.writer.close()

    def abort(self) -> None:
        """The footer is missing, which tells that the file is unfinished."""


@attrs.frozen
class IpcFormat:
    extension: str = "arrow"

    def check(self, schema: pa.Schema) -> None:
        del schema

    def writer(self, out: BinaryIO, schema: pa.Schema) -> IpcWriter:
        return IpcWriter(out, pa.ipc.new_file(out, schema))

    def compression(self) -> str:
        return "none"


def column(field: pa.Field) -> Column:
    return Column(name=field.name, native_type=str(field.type), field=field, expression=field.name)


def dataset_plan(schema: pa.Schema = SCHEMA, *, name: str = "", **changes: Any) -> DatasetPlan:
    fields = list(schema)
    if changes.get("exported_at"):
        fields.append(pa.field(EXPORTED_AT, pa.timestamp("us", "UTC")))
    if changes.get("row_hash") is not None:
        fields.append(pa.field(ROW_HASH, pa.int64()))
    return DatasetPlan(
        name=name,
        prefix=f"{name}/" if name else "",
        relation=Table(name or "things"),
        columns=tuple(column(field) for field in schema),
        schema=pa.schema(fields),
        **changes,
    )


def make_plan(
    *datasets: DatasetPlan,
    part_bytes: int = 1 << 40,
    row_group_bytes: int = 1 << 20,
    restart: Restart = Restart.MARK,
    rolls: RollPolicy | None = None,
    one_part: bool = False,
) -> Plan:
    chosen = Chosen(kind="test", options=None)
    return Plan(
        intent=Intent(
            name="things",
            source=chosen,
            relation=Table("things"),
            mode=chosen,
            format=chosen,
            destination=chosen,
            part_bytes=part_bytes,
            row_group_bytes=row_group_bytes,
        ),
        identity=SourceIdentity(engine="test", server="here", database="memory"),
        runner="test",
        runner_capabilities=RunnerCapabilities(rolls=rolls),
        restart=restart,
        datasets=datasets or (dataset_plan(),),
        fingerprint="test",
        one_part=one_part,
    )


def make_recipe(plan: Plan, staging: Path) -> Recipe:
    return Recipe(plan=plan, exported_at=NOW, staging=staging, format=IpcFormat)


def plain_unit(**changes: Any) -> Unit:
    return Unit(id="u0", ordinal=0, request=request(**changes))


def ordered_unit() -> Unit:
    return plain_unit(order=KEYS)


def paged_unit(rows: int) -> Unit:
    return Unit(id="u0", ordinal=0, request=request(), paging=Paging(keys=KEYS, rows=rows))


def request(**changes: Any) -> ReadRequest:
    return ReadRequest(relation=Table("things"), columns=tuple(column(field) for field in SCHEMA), **changes)


def position(value: int) -> Position:
    return Position("int64", str(value))


def rows(first: int, count: int) -> pa.RecordBatch:
    ids = range(first, first + count)
    return pa.record_batch([pa.array(ids, pa.int64()), pa.array([f"n{i}" for i in ids])], schema=SCHEMA)


def ids_in(path: Path) -> list[int]:
    with pa.ipc.open_file(path) as file:
        return file.read_all()["id"].to_pylist()


class MemorySource:
    """A relation in memory, keyed by ``id``; it keeps track of how it is used.

    :param batch_rows: rows of a batch.
    """

    def __init__(self, data: pa.RecordBatch, *, batch_rows: int = 3) -> None:
        self.data = data
        self.batch_rows = batch_rows
        self.requests: list[ReadRequest] = []
        self.open = 0
        self.threads: set[int] = set()

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        del context
        self.requests.append(request)
        self.open += 1
        self.threads.add(threading.get_ident())
        try:
            yield self._batches(request)
        finally:
            self.threads.add(threading.get_ident())
            self.open -= 1

    def cancel(self) -> None:
        """Nothing here ever blocks."""

    def _batches(self, request: ReadRequest) -> Iterator[Batch]:
        data = self.data
        for term in request.terms:
            assert isinstance(term, After)
            data = data.filter(pc.greater(data["id"], int(str(term.position.value))))
        if request.limit is not None:
            data = data.slice(0, request.limit)
        for begin in range(0, data.num_rows, self.batch_rows):
            piece = data.slice(begin, self.batch_rows)
            last = piece["id"][-1].as_py()
            for key in request.hidden:
                assert isinstance(key, ColumnKey)
                piece = piece.append_column(HIDDEN_PREFIX + key.name, piece[key.name].cast(pa.string()))
            yield Batch(data=piece, mark=position(last) if request.order else None)


class GeneratedSource(MemorySource):
    """One batch, again and again, for relations larger than memory should be."""

    def __init__(self, data: pa.RecordBatch, *, times: int) -> None:
        super().__init__(data)
        self.times = times

    def _batches(self, request: ReadRequest) -> Iterator[Batch]:
        del request
        return (Batch(data=self.data) for _ in range(self.times))


def produced_elsewhere(task: UnitTask, recipe: Recipe) -> list[Produced]:
    """What a worker process does: it opens the source itself and gets everything else as values."""
    return list(produce(MemorySource(rows(1, 100)), task, recipe))
