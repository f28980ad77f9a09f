"""A real source over Arrow tables in memory: ordered reads, marks, queries, splits, snapshots, credentials, failures.

It is what runners are tested over, and a model for authors; it is deliberately small, not fast.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from typing import Any, ClassVar

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.capabilities import Restart, SnapshotSupport, SourceCapabilities
from rivet_core.errors import EnvironmentFailure, InternalError, Place, SnapshotGone, UsageError
from rivet_core.hookspecs import SourceType
from rivet_core.protocols import Batch
from rivet_core.requests import HIDDEN_PREFIX, Keys, ReadContext, ReadRequest
from rivet_core.schema import Bounds, Key, RelationFacts, TableSchema
from rivet_core.testing.reference_terms import ROWS, encode, key_column, position_of, select_rows, sort_rows
from rivet_core.types import (
    Column,
    ColumnRules,
    Position,
    Query,
    Relation,
    Secret,
    Snapshot,
    SourceIdentity,
    Table,
    Verdict,
)

#: A query for everything in a table is this word and the table's name.
FROM = "from "
#: A query whose read never ends by itself.
ENDLESS = Query("endless")


@attrs.frozen(kw_only=True)
class StoredTable:
    """One table: its rows as they were stored, and its primary key."""

    rows: pa.Table
    key: tuple[str, ...] = ()


class ReferenceDatabase:
    """The server of reference sources; what it does on request, a test can do to a source.

    It pickles as a copy of its tables.
    """

    def __init__(self, name: str = "memory", *, password: str | None = None) -> None:
        self.name = name
        self.password = password
        self.tables: dict[str, StoredTable] = {}
        self.snapshots: dict[str, dict[str, StoredTable]] = {}
        #: Rows and reads that were handed out, and how many reads are open.
        self.rows_read = 0
        self.reads = 0
        self.open_reads = 0
        #: What its sources answer when they are asked for pressure.
        self.strain: int | None = 0
        self.generation = 0
        self.lock = threading.Lock()
        self._tokens = count(1)

    def __reduce__(self) -> tuple[Callable[..., ReferenceDatabase], tuple[str, str | None, dict[str, StoredTable]]]:
        return _rebuild, (self.name, self.password, self.tables)

    def create(self, name: str, rows: pa.Table, *, key: tuple[str, ...] = ()) -> Table:
        """Make a table, or replace it."""
        with self.lock:
            self.tables[name] = StoredTable(rows=rows, key=key)
        return Table(name)

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows."""
        with self.lock:
            stored = self.tables[name]
            self.tables[name] = attrs.evolve(
                stored, rows=pa.concat_tables([stored.rows, rows.cast(stored.rows.schema)])
            )

    def delete(self, name: str, keep: Callable[[pa.Table], pa.ChunkedArray]) -> None:
        """Keep the rows for which the mask is true."""
        with self.lock:
            stored = self.tables[name]
            self.tables[name] = attrs.evolve(stored, rows=stored.rows.filter(keep(stored.rows)))

    def kill(self) -> None:
        """End every connection, and with them the snapshots."""
        with self.lock:
            self.generation += 1
            self.snapshots.clear()

    def hold(self) -> str:
        """Keep the present state under a new token."""
        with self.lock:
            token = f"snapshot-{next(self._tokens)}"
            self.snapshots[token] = dict(self.tables)
            return token


def _rebuild(name: str, password: str | None, tables: dict[str, StoredTable]) -> ReferenceDatabase:
    database = ReferenceDatabase(name, password=password)
    database.tables = tables
    return database


@attrs.frozen(kw_only=True)
class ReferenceOptions:
    """The options of a reference source."""

    database: ReferenceDatabase = attrs.field(repr=lambda database: database.name)
    password: Secret | None = None


class ReferenceSource:
    """The source itself, see :class:`~rivet_core.protocols.Source`.

    :cvar engine: the kind that a subclass with another behaviour is declared as.
    """

    engine: ClassVar[str] = "reference"

    def __init__(self, options: ReferenceOptions) -> None:
        self.options = options
        self.database = options.database
        self._generation: int | None = None
        self._reading = False
        self._cancelled = threading.Event()

    # -- life -------------------------------------------------------------

    def identity(self) -> SourceIdentity:
        self._connect()
        return SourceIdentity(engine=self.engine, server="memory", database=self.database.name)

    def check(self) -> None:
        self._connect()

    def now(self) -> datetime:
        return datetime.now(UTC)

    def cancel(self) -> None:
        if self._reading:
            self._cancelled.set()

    def verdict(self, error: BaseException) -> Verdict:
        if isinstance(error, ConnectionError):
            return Verdict.RECONNECT
        if isinstance(error, EnvironmentFailure) and error.code == "RIVET_SOURCE_CREDENTIALS_INVALID":
            return Verdict.CONFIG
        return Verdict.FATAL

    def close(self) -> None:
        self._generation = None

    def _connect(self) -> None:
        given = self.options.password
        if self.database.password is not None and (given is None or given.reveal() != self.database.password):
            msg = f"the database {self.database.name} refuses this password"
            raise EnvironmentFailure(msg, code="RIVET_SOURCE_CREDENTIALS_INVALID", remedy="Give the right one.")
        if self._generation is None:
            self._generation = self.database.generation
        if self._generation != self.database.generation:
            msg = f"the database {self.database.name} ended this connection"
            raise ConnectionResetError(msg)

    # -- facts ------------------------------------------------------------

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        stored = self._stored(relation)
        if rules.types:
            names = ", ".join(name for name, _ in rules.types)
            msg = f"the reference source delivers columns as they are stored; it has no other type for {names}"
            place = Place(relation=str(relation), field=names)
            raise UsageError(msg, code="RIVET_TYPE_UNSAFE_MAPPING", place=place, remedy="Leave columns out.")
        columns = tuple(
            Column(
                name=field.name,
                native_type=str(field.type),
                field=pa.field(field.name, field.type),
                expression=field.name,
                not_null=field.name in stored.key,
            )
            for field in stored.rows.schema
        )
        return TableSchema(columns=columns, estimated_rows=stored.rows.num_rows)

    def relations(self) -> tuple[RelationFacts, ...]:
        self._connect()
        return tuple(
            RelationFacts(
                table=Table(name),
                estimated_rows=stored.rows.num_rows,
                total_bytes=stored.rows.nbytes,
                primary_key=stored.key,
            )
            for name, stored in sorted(self.database.tables.items())
        )

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        stored = self._stored(relation)
        if isinstance(relation, Query) or not stored.key:
            return ()
        return (Key(columns=stored.key, unique=True, not_null=True, primary=True),)

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        values = self._stored(relation).rows.column(column)
        extremes = pc.min_max(values)
        if not extremes["min"].is_valid:
            return None
        return Bounds(low=encode(extremes["min"]), high=encode(extremes["max"]), nulls=values.null_count)

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        rows = sort_rows(select_rows(self._stored(request.relation).rows, request.terms), keys)
        if len(keys) == 1:
            rows = rows.filter(pc.is_valid(key_column(rows, keys[0])))
        places = sorted({rows.num_rows * share // n for share in range(1, n)} - {0})
        return tuple(dict.fromkeys(position_of(rows, place, keys) for place in places))

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        found: int = self._rows(request, context).num_rows
        return found

    # -- reading ----------------------------------------------------------

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        self._connect()
        if self._reading:
            msg = "at most one read of a source is open at a time"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        self._cancelled.clear()
        self._reading = True
        with self.database.lock:
            self.database.open_reads += 1
            self.database.reads += 1
        try:
            yield self._wait() if request.relation == ENDLESS else self._batches(request, context)
        finally:
            self._reading = False
            with self.database.lock:
                self.database.open_reads -= 1

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        self._connect()
        token = self.database.hold()
        try:
            yield Snapshot(token=token)
        finally:
            self.database.snapshots.pop(token, None)

    def pressure(self) -> int | None:
        self._connect()
        return self.database.strain

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        rows = self._rows(request, context)
        size = rows.nbytes // max(rows.num_rows, 1)
        step = max(1, min(request.budget.rows, request.budget.bytes // max(size, 1)))
        for start in range(0, rows.num_rows, step):
            self._stop_if_cancelled()
            self._connect()
            piece = rows.slice(start, step)
            with self.database.lock:
                self.database.rows_read += piece.num_rows
            mark = position_of(piece, piece.num_rows - 1, request.order) if request.order else None
            yield Batch(data=self._project(piece, request), mark=mark)

    def _rows(self, request: ReadRequest, context: ReadContext) -> pa.Table:
        stored = self._stored(request.relation, context.snapshot)
        rows = sort_rows(select_rows(stored.rows, request.terms), request.order)
        return rows if request.limit is None else rows.slice(0, request.limit)

    def _project(self, rows: pa.Table, request: ReadRequest) -> pa.RecordBatch:
        names = [column.name for column in request.columns] + [
            f"{HIDDEN_PREFIX}{number}" for number in range(len(request.hidden))
        ]
        columns = [rows.column(column.name) for column in request.columns]
        columns += [key_column(rows, key) for key in request.hidden]
        return pa.record_batch([pa.concat_arrays(column.chunks) for column in columns], names=names)

    def _stored(self, relation: Relation | None, snapshot: Snapshot | None = None) -> StoredTable:
        self._connect()
        tables = self.database.tables
        if snapshot is not None:
            held = self.database.snapshots.get(snapshot.token)
            if held is None:
                msg = f"the snapshot {snapshot.token} no longer exists"
                raise SnapshotGone(msg, code="RIVET_SOURCE_SNAPSHOT_GONE", remedy="Start the run anew.")
            tables = held
        if relation == ENDLESS:
            return StoredTable(rows=pa.table({"n": pa.array([], pa.int64())}))
        name = (
            relation.name if isinstance(relation, Table) else str(relation.text if relation else "").removeprefix(FROM)
        )
        if name not in tables:
            msg = f"there is no table {name!r} in the database {self.database.name}"
            place, remedy = Place(relation=name), "Name one of the tables that it was given."
            raise EnvironmentFailure(msg, code="RIVET_SOURCE_TABLE_NOT_FOUND", place=place, remedy=remedy)
        return tables[name]

    def _wait(self) -> Iterator[Batch]:
        while True:
            self._stop_if_cancelled()
            time.sleep(0.005)
            yield from ()

    def _stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            msg = "the read was cancelled"
            raise EnvironmentFailure(msg, code="RIVET_SOURCE_QUERY_FAILED", remedy="Read again.")


def reference_type(kind: str = "reference", **capabilities: Any) -> SourceType:
    """Return the declaration of reference sources.

    :param capabilities: to declare something else than the source can; a narrower claim is true as well.
    """
    can = SourceCapabilities(
        restart=Restart.MARK,
        ordered=True,
        queries=True,
        snapshot=SnapshotSupport.PROCESS,
        estimates=True,
        relations=True,
        pressure=True,
        ranges=(ROWS,),
    )
    return SourceType(
        kind=kind,
        options=ReferenceOptions,
        capabilities=attrs.evolve(can, **capabilities),
        factory=ReferenceSource,
    )
