"""Marks: the position of a batch's last row, taken from a delivered column where that is lossless, else from text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs
import pyarrow as pa

from rivet_core.requests import ColumnKey, KeyExpression, Keys, ReadRequest
from rivet_core.types import Position
from rivet_source_postgres.calendar import date_text, timestamp_text
from rivet_source_postgres.catalogue import expression_types
from rivet_source_postgres.positions import tag
from rivet_source_postgres.quoting import identifier
from rivet_source_postgres.translate import key_expression

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.types import Column, Relation
    from rivet_source_postgres.session import Session


@attrs.frozen(kw_only=True)
class MarkPart:
    """Where one key's value is found.

    :param place: the column's index in the driver's batch.
    :param text: makes the lossless text of a one-row array.
    """

    place: int
    tag: str
    text: Callable[[pa.Array], str]


@attrs.frozen(kw_only=True)
class MarkPlan:
    """How marks are made for a request.

    :param parts: one a key of the order.
    :param hidden: the keys that must be selected as text, behind the request's columns.
    """

    parts: tuple[MarkPart, ...] = ()
    hidden: Keys = ()

    def mark(self, batch: pa.RecordBatch, row: int) -> Position | None:
        """Return the position of a row; None when a key is NULL: no other row could be said to lie behind it."""
        cells = [batch.column(part.place).slice(row, 1) for part in self.parts]
        if not cells or any(cell.null_count for cell in cells):
            return None
        return Position.row(
            *(Position(part.tag, part.text(cell)) for part, cell in zip(self.parts, cells, strict=True))
        )


class KeyTags:
    """Remembers the types of keys, so that a paged read asks for them once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Relation, Keys], tuple[str, ...]] = {}

    def of(self, session: Session, relation: Relation, keys: Keys) -> tuple[str, ...]:
        """Return the tags of keys."""
        if not keys:
            return ()
        if (relation, keys) not in self._known:
            expressions = tuple(key_expression(key) for key in keys)
            types = expression_types(session, relation, expressions)
            self._known[relation, keys] = tuple(tag(one) for one in types)
        return self._known[relation, keys]


def plan_marks(request: ReadRequest, tags: Callable[[Keys], tuple[str, ...]]) -> MarkPlan:
    """Return how the marks of a request are made.

    :param tags: asks the server for the types of keys.
    """
    parts: list[MarkPart | None] = [_delivered(key, request.columns) for key in request.order]
    hidden = tuple(key for key, part in zip(request.order, parts, strict=True) if part is None)
    texts = (
        MarkPart(place=len(request.columns) + place, tag=word, text=_string) for place, word in enumerate(tags(hidden))
    )
    return MarkPlan(parts=tuple(part if part is not None else next(texts) for part in parts), hidden=hidden)


def _delivered(key: KeyExpression, columns: tuple[Column, ...]) -> MarkPart | None:
    """Return how a key is taken from the column that is delivered anyway; None when that is not lossless."""
    if not isinstance(key, ColumnKey):
        return None
    quoted = identifier(key.name)
    for place, column in enumerate(columns):
        if column.name == key.name and column.expression in {quoted, f"{quoted}::int8"}:
            found = _READERS.get(column.field.type)
            return None if found is None else MarkPart(place=place, tag=found[0], text=found[1])
    return None


def _number(cell: pa.Array) -> int:
    value: int = cell.view(pa.int32() if pa.types.is_date32(cell.type) else pa.int64())[0].as_py()
    return value


def _string(cell: pa.Array) -> str:
    return str(cell[0])


def _instant(zone: str) -> Callable[[pa.Array], str]:
    return lambda cell: timestamp_text(_number(cell), zone=zone)


_READERS: Final[dict[Any, tuple[str, Callable[[pa.Array], str]]]] = {
    pa.int16(): ("int64", _string),
    pa.int32(): ("int64", _string),
    pa.int64(): ("int64", _string),
    pa.date32(): ("date", lambda cell: date_text(_number(cell))),
    pa.timestamp("us"): ("timestamp", _instant("")),
    pa.timestamp("us", "UTC"): ("timestamptz", _instant("+00")),
    pa.uuid(): ("uuid", _string),
}
