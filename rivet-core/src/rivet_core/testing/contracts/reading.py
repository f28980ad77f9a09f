"""How the contracts read: whole requests, row by row with the positions between rows, and positions that travelled."""

from __future__ import annotations

import json
from collections.abc import Iterable

import attrs
import pyarrow as pa

from rivet_core.protocols import Batch, Source
from rivet_core.requests import Between, Budget, ColumnKey, Keys, ReadContext, ReadRequest, Term
from rivet_core.testing.rows import row_texts
from rivet_core.types import ColumnRules, Position, Relation


def plain(source: Source, relation: Relation) -> ReadRequest:
    """Return the request for everything in a relation."""
    return ReadRequest(relation=relation, columns=source.describe(relation, ColumnRules()).columns)


def batches_of(source: Source, request: ReadRequest, context: ReadContext | None = None) -> list[Batch]:
    """Return all batches of a request."""
    with source.read(request, context or ReadContext()) as batches:
        return list(batches)


def delivered(batches: Iterable[Batch], request: ReadRequest) -> list[str]:
    """Return one text a row of the request's columns, in the order of arrival; hidden keys left out."""
    names = [column.name for column in request.columns]
    return [text for batch in batches for text in row_texts(batch.data.select(range(len(names))).rename_columns(names))]


def rows_of_request(source: Source, request: ReadRequest, context: ReadContext | None = None) -> list[str]:
    """Return one text a row of everything that a request delivers."""
    return delivered(batches_of(source, request, context), request)


def travelled(position: Position) -> Position:
    """Return the position as the state gives it back: through JSON text."""
    return Position.from_json(json.loads(json.dumps(position.to_json())))


@attrs.frozen(kw_only=True)
class Walk:
    """An ordered relation, row by row.

    :param rows: in the source's order.
    :param positions: behind each row, one.
    """

    request: ReadRequest
    rows: tuple[str, ...]
    positions: tuple[Position, ...]

    def of(self, index: int) -> tuple[Position, ...]:
        """Return the positions in the order of one of several keys, one a row."""
        return tuple(position.parts[index] for position in self.positions)


def walk(source: Source, relation: Relation, keys: Keys, *terms: Term) -> Walk:
    """Read a relation in the order of unique keys, and learn the position behind each row.

    The rows come from one ordered read. The position of row ``n`` is the last mark of the same read that is limited
    to ``n + 1`` rows, so that nothing but order and limit is relied on.
    """
    request = attrs.evolve(plain(source, relation), order=keys, hidden=keys, terms=terms)
    rows = rows_of_request(source, request)
    positions = []
    for number in range(1, len(rows) + 1):
        marks = [
            batch.mark for batch in batches_of(source, attrs.evolve(request, limit=number)) if batch.mark is not None
        ]
        assert marks, f"an ordered read of {number} rows ended in no mark"
        positions.append(travelled(marks[-1]))
    return Walk(request=request, rows=tuple(rows), positions=tuple(positions))


def without_nulls(column: str) -> Term:
    """Return the open range of a column, which leaves out the rows that have no value in it."""
    return Between(ColumnKey(column), None, None)


def in_small_batches(request: ReadRequest, rows: int = 5) -> ReadRequest:
    """Return the request with a budget that cuts even a sample into several batches."""
    return attrs.evolve(request, budget=Budget(rows=rows))


def data_schema(request: ReadRequest) -> pa.Schema:
    """Return the Arrow schema that the request's columns have to arrive in."""
    return pa.schema([column.field for column in request.columns])


def types_of(schema: pa.Schema) -> list[tuple[str, pa.DataType]]:
    """Return names and types; nullability and metadata are the sink's business."""
    return [(field.name, field.type) for field in schema]
