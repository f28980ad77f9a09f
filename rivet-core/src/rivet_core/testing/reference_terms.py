"""What a read request means, over an Arrow table: terms, order, borders and positions, exact and without a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    ColumnKey,
    IsNull,
    KeyExpression,
    Keys,
    Since,
    SourceRange,
    Term,
    Until,
)
from rivet_core.types import Position

#: The kind of range that the reference source understands: ``{"start": 0, "stop": 10}``, rows as they were stored.
ROWS = "rows"

_Compare = Callable[[pa.ChunkedArray, pa.Scalar], pa.ChunkedArray]


def select_rows(table: pa.Table, terms: Sequence[Term]) -> pa.Table:
    """Return the rows for which every term holds."""
    ranges = [term for term in terms if isinstance(term, SourceRange)]
    if len(ranges) > 1:
        msg = "the reference source reads at most one range of stored rows"
        raise LookupError(msg)
    for stored in ranges:
        if stored.kind != ROWS:
            msg = f"the reference source knows no range {stored.kind!r}"
            raise LookupError(msg)
        borders = json.loads(stored.data)
        table = table.slice(borders["start"], max(0, borders["stop"] - borders["start"]))
    for term in terms:
        if not isinstance(term, SourceRange):
            table = table.filter(_mask(table, term))
    return table


def sort_rows(table: pa.Table, keys: Keys) -> pa.Table:
    """Return the rows in the order of the keys; NULLs come last."""
    if not keys:
        return table
    columns = pa.table({str(number): key_column(table, key) for number, key in enumerate(keys)})
    order = [(name, "ascending") for name in columns.column_names]
    return table.take(pc.sort_indices(columns, sort_keys=order))


def key_column(table: pa.Table, key: KeyExpression) -> pa.ChunkedArray:
    """Return a key's values."""
    if isinstance(key, ColumnKey):
        return table.column(key.name)
    return pc.coalesce(*(table.column(name) for name in key.columns))


def position_of(table: pa.Table, row: int, keys: Keys) -> Position:
    """Return the position of a row."""
    return Position.row(*(encode(key_column(table, key)[row]) for key in keys))


def encode(value: pa.Scalar) -> Position:
    """Return a value as a position: the Arrow type, and text that loses nothing."""
    kind = value.type
    if not value.is_valid:
        return Position("null", "")
    if pa.types.is_binary(kind):
        return Position(str(kind), value.as_py().hex())
    if pa.types.is_floating(kind):
        return Position(str(kind), value.as_py().hex())
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return Position(str(kind), str(value.cast(width).as_py()))
    return Position(str(kind), str(value.as_py()))


def decode(position: Position, kind: pa.DataType) -> pa.Scalar:
    """Return the value of :func:`encode`."""
    text = str(position.value)
    if pa.types.is_binary(kind):
        return pa.scalar(bytes.fromhex(text), kind)
    if pa.types.is_floating(kind):
        return pa.scalar(float.fromhex(text), kind)
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.scalar(int(text), width).cast(kind)
    return pa.scalar(text, pa.string()).cast(kind)


def _mask(table: pa.Table, term: Term) -> pa.ChunkedArray:
    match term:
        case After(keys=keys, position=position):
            return _beyond(table, keys, position, pc.greater, pc.greater)
        case AtOrAfter(keys=keys, position=position):
            return _beyond(table, keys, position, pc.greater, pc.greater_equal)
        case Until(keys=keys, position=position):
            return _beyond(table, keys, position, pc.less, pc.less_equal)
        case Between(key=key, low=low, high=high):
            values = key_column(table, key)
            mask = pc.is_valid(values)
            if low is not None:
                mask = pc.and_kleene(mask, pc.greater_equal(values, decode(low, values.type)))
            if high is not None:
                mask = pc.and_kleene(mask, pc.less(values, decode(high, values.type)))
            return mask
        case IsNull(key=key):
            return pc.is_null(key_column(table, key))
        case Since(column=column, literal=literal):
            values = table.column(column)
            return pc.greater_equal(values, pa.scalar(literal).cast(values.type))
    msg = f"the reference source does not understand {term!r}"
    raise LookupError(msg)


def _beyond(table: pa.Table, keys: Keys, position: Position, strictly: _Compare, at_last: _Compare) -> pa.ChunkedArray:
    """Return where the keys lie beyond a position, compared key by key."""
    values = [key_column(table, key) for key in keys]
    borders = [decode(part, column.type) for part, column in zip(position.parts, values, strict=True)]
    masks = []
    for number, (column, border) in enumerate(zip(values, borders, strict=True)):
        compare = at_last if number == len(keys) - 1 else strictly
        equal_before = [pc.equal(values[before], borders[before]) for before in range(number)]
        masks.append(reduce(pc.and_kleene, equal_before, compare(column, border)))
    return reduce(pc.or_kleene, masks)
