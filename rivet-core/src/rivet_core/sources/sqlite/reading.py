"""The read loop: chunks of rows become arrays, a column at a time, and chunks become batches of the asked size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from rivet_core.errors import Place, RefusalError
from rivet_core.protocols import Batch
from rivet_core.sources.sqlite.convert import MISFIT, conversion, first_misfit
from rivet_core.sources.sqlite.fetching import MOST
from rivet_core.sources.sqlite.positions import position
from rivet_core.sources.sqlite.storage import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.requests import ReadRequest
    from rivet_core.sources.sqlite.convert import Conversion
    from rivet_core.sources.sqlite.fetching import Rows
    from rivet_core.types import Column, Relation

_FIRST: Final = 64
#: Bytes that one array of text can hold.
_JOINED: Final = 2**31 - 1


def batches(source: Rows, request: ReadRequest, relation: Relation, flags: tuple[int, ...]) -> Iterator[Batch]:
    """Yield the rows of a statement; each batch of an ordered read ends in a mark.

    A batch that ends between rows of equal keys has none: its last position has not been yielded completely.
    """
    schema = pa.schema([column.field for column in request.columns])
    conversions = [conversion(column) for column in request.columns]
    keys = len(request.order)
    pieces: list[pa.RecordBatch] = []
    nulled = dict.fromkeys(flags, 0)
    rows = size = 0
    last: tuple[Any, ...] = ()
    step = min(_FIRST, request.budget.rows)
    while True:
        # A chunk is there several times while it is converted.
        chunk = source.take(step, request.budget.bytes // 4)
        full = rows >= request.budget.rows or size >= request.budget.bytes
        # What is kept can double as text: the hexadecimal digits of a blob, the accents of Latin letters.
        if pieces and (not chunk or full or size + 2 * source.weight > _JOINED):
            tied = bool(chunk) and keys > 0 and chunk[0][-keys:] == last
            yield Batch(
                data=_joined(pieces),
                mark=position(last) if keys and not tied else None,
                nulled=tuple((request.columns[at].name, cells) for at, cells in nulled.items() if cells),
            )
            pieces, rows, size = [], 0, 0
            nulled = dict.fromkeys(flags, 0)
        if not chunk:
            return
        last = chunk[-1][-keys:] if keys else ()
        count = len(chunk)
        values = list(zip(*chunk, strict=True))
        del chunk
        piece = _converted(values, request.columns, conversions, schema, relation)
        for at, flag in zip(flags, values[len(request.columns) :], strict=False):
            nulled[at] += sum(flag) - (count - piece.column(at).null_count)
        # Long cells would stay while the next ones are fetched.
        del values
        pieces.append(piece)
        rows += count
        size += piece.nbytes
        wanted = request.budget.rows - rows
        # With nothing left, the next chunk begins a batch.
        step = _next_step(count, piece.nbytes, request.budget.bytes, wanted if wanted > 0 else request.budget.rows)
        del piece


def _next_step(rows: int, size: int, budget: int, left: int) -> int:
    """Return how many rows to fetch next: a small share of the budget, and not more than are still wanted."""
    fitting = budget * rows // (8 * size) if size else MOST
    return max(1, min(fitting, 2 * rows, MOST, left))


def _converted(
    values: list[tuple[Any, ...]],
    columns: tuple[Column, ...],
    conversions: list[Conversion],
    schema: pa.Schema,
    relation: Relation,
) -> pa.RecordBatch:
    arrays = []
    for column, convert, cells in zip(columns, conversions, values, strict=False):
        try:
            arrays.append(convert(cells))
        except MISFIT as error:
            raise _misfit(column, first_misfit(cells, convert), relation) from error
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _misfit(column: Column, value: object, relation: Relation) -> RefusalError:
    kind = column.field.type
    msg = (
        f"the column {column.name} ({column.native_type}) of {relation} holds a value that is no {kind}: {shown(value)}"
    )
    return RefusalError(
        msg,
        code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
        place=Place(relation=str(relation), field=column.name, value=shown(value)),
        remedy=f"Mend the value, read it as text (columns: {{{column.name}: text}}), or set on_invalid_value.",
    )


def _joined(pieces: list[pa.RecordBatch]) -> pa.RecordBatch:
    return pieces[0] if len(pieces) == 1 else pa.concat_batches(pieces)
