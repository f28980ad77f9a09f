"""One read: a statement streamed, its batches made the planned columns, cut to the budget, and marked."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import attrs
import pyarrow as pa

from rivet_core.errors import EnvironmentFailure, InternalError, Place, RefusalError, RivetError
from rivet_core.protocols import Batch
from rivet_source_postgres import arrays, translate
from rivet_source_postgres.delivery import NULLS, OVERRIDE, TESTED, Delivery
from rivet_source_postgres.failures import sqlstate
from rivet_source_postgres.marks import KeyTypes, MarkPlan, plan_marks
from rivet_source_postgres.quoting import identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.requests import Budget, ReadContext, ReadRequest
    from rivet_core.types import Column, Position
    from rivet_source_postgres.session import Session

_FEWEST_BYTES: Final = 16 * 1024
_NARROW_ROW: Final = 128
#: What the server says of a value that a cast does not take.
_NO_VALUE: Final = frozenset({"22003", "22007", "22008", "22P02"})
#: And when a planned column or its type is gone.
_COLUMN_GONE: Final = frozenset({"42703", "42704", "42846", "42883"})


@contextmanager
def read(session: Session, request: ReadRequest, context: ReadContext, *, types: KeyTypes) -> Iterator[Iterator[Batch]]:
    """Read a request; see :meth:`rivet_core.protocols.Source.read`."""
    if not request.columns or request.relation is None:
        msg = "a read of PostgreSQL names its relation and at least one column"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    relation = request.relation
    snapshot = None if context.snapshot is None else context.snapshot.token
    with session.transaction(snapshot=snapshot):
        marks = plan_marks(request, lambda keys: types.of(session, relation, keys))
        tests = {column.name: test for column in request.columns if (test := _nulled_by_server(column)) is not None}
        nulling, flags = tuple(tests), tuple(tests.values())
        flags += () if marks.tied is None else (marks.tied,)
        extras = translate.Extras(
            keys=marks.hidden, nulls_first=marks.nulls_first, flags=flags, schemas=types.schemas(session, request)
        )
        sql = translate.select(request, extras)
        delivery = Delivery(
            relation=str(relation),
            fields=tuple(column.field for column in request.columns),
        )
        with session.stream(sql, batch_bytes=_batch_bytes(request.budget), relation=str(relation)) as stream:
            batches = _batches(stream, max(request.budget.rows, 1), marks, nulling, delivery)
            yield _named(batches, request)


def _batch_bytes(budget: Budget) -> int:
    """Return what the driver gathers before it hands anything on: about a batch of rows that are narrow.

    What takes the server long for each row would else make the first ones wait for many thousands of others, and the
    wait for a batch is limited. Batches of wide rows have fewer rows for it.
    """
    return min(budget.bytes, max(_FEWEST_BYTES, budget.rows * _NARROW_ROW))


def _batches(
    stream: Iterator[pa.RecordBatch], rows: int, marks: MarkPlan, nulling: tuple[str, ...], delivery: Delivery
) -> Iterator[Batch]:
    """Yield the stream's batches in cuts of so many rows.

    The last cut of a batch waits for the next batch, whose first row tells whether it may end in a mark.
    """
    schema = pa.schema(delivery.fields)
    width, flags = len(schema), len(schema) + len(marks.hidden)
    waiting: tuple[Batch, Position | None] | None = None
    empty = True
    for raw in stream:
        if not raw.num_rows:
            continue
        empty = False
        if waiting is not None:
            batch, position = waiting
            yield attrs.evolve(batch, mark=None if position == marks.position(raw, 0) else position)
            waiting = None
        columns = delivery.columns(raw.columns[:width])
        for name, flagged in zip(nulling, raw.columns[flags:], strict=False):
            delivery.count_nulled(name, flagged.true_count)
        nulled = delivery.take_nulled()
        data = pa.RecordBatch.from_arrays(columns, schema=schema)
        for start in range(0, data.num_rows, rows):
            # The counts go with the first cut: only their sum has a meaning.
            batch = Batch(data=data.slice(start, rows), nulled=nulled if start == 0 else ())
            end = start + batch.data.num_rows
            if not marks.parts:
                yield batch
                continue
            position = marks.position(raw, end - 1)
            if marks.tied is not None:
                yield attrs.evolve(batch, mark=None if raw.column(raw.num_columns - 1)[end - 1].as_py() else position)
            elif end < data.num_rows:
                yield attrs.evolve(batch, mark=None if position == marks.position(raw, end) else position)
            else:
                waiting = batch, position
        # Else they would still be held while the driver makes the next batch.
        del raw, columns, data, batch
    if waiting is not None:
        yield attrs.evolve(waiting[0], mark=waiting[1])
    if empty:
        yield Batch(data=pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema))


def _named(batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
    """Give the errors that only a read can tell apart their names."""
    place = Place(relation=str(request.relation))
    try:
        yield from batches
    except RivetError as error:
        if sqlstate(error) in _COLUMN_GONE:
            msg = f"a planned column can no longer be read: {error.message}"
            raise EnvironmentFailure(
                msg,
                code="RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ",
                place=place,
                remedy="The relation was changed after it was planned: run the same command again.",
            ) from error
        if sqlstate(error) in _NO_VALUE and (named := _without_place(error, request)):
            raise named from error
        raise


def _without_place(error: RivetError, request: ReadRequest) -> RivetError | None:
    """Return the error of a cast that an override asked for; the server says the value, but not the column's name."""
    casts = {
        column.name: column.field.metadata[OVERRIDE].decode()
        for column in request.columns
        if OVERRIDE in (column.field.metadata or {})
        and TESTED not in column.field.metadata
        and column.expression != identifier(column.name)
    }
    if not casts:
        return None
    listed = " or ".join(f"{name} as {word}" for name, word in casts.items())
    # A query, or a view, may have casts of its own.
    msg = f"a value cannot be had as columns: asks for it, probably of {listed}: {error.message}"
    return RefusalError(
        msg,
        code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
        place=Place(relation=str(request.relation), field=next(iter(casts)) if len(casts) == 1 else None),
        remedy="Take the column out of columns, repair the value, or leave its row out with a query.",
    )


def _nulled_by_server(column: Column) -> str | None:
    """Return the test, in SQL, whether the server makes a value NULL; None where it does not."""
    metadata = column.field.metadata or {}
    quoted = identifier(column.name)
    if pa.types.is_list(column.field.type) and metadata.items() >= NULLS.items():
        return arrays.misshapen(quoted)
    return f"({quoted} IS NOT NULL AND ({column.expression}) IS NULL)" if TESTED in metadata else None
