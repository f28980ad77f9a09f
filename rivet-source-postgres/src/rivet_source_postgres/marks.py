"""Marks: the position of a batch's last row, taken from a delivered column where that is lossless, else from text.

A batch that ends between rows of equal keys has no mark, since whoever read on behind it would lose the rest of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs
import pyarrow as pa

from rivet_core.requests import ColumnKey, KeyExpression, Keys, ReadRequest
from rivet_core.types import Position
from rivet_source_postgres.calendar import date_text, timestamp_text
from rivet_source_postgres.catalogue import expression_types, not_null_columns
from rivet_source_postgres.pinned import operator
from rivet_source_postgres.positions import equal_by_text, tag
from rivet_source_postgres.quoting import identifier
from rivet_source_postgres.selects import INT8, PRINTED, TEXT
from rivet_source_postgres.translate import excludes_null, foreign_keys, key_expression, order_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.types import Column, Relation
    from rivet_source_postgres.catalogue import KeyFacts
    from rivet_source_postgres.selects import Select
    from rivet_source_postgres.session import Session
    from rivet_source_postgres.translate import Schemas


@attrs.frozen(kw_only=True)
class KeyType:
    """What must be known of a key that is made a mark of.

    :param plain: values are equal exactly when their texts are.
    :param select: gives it as text.
    :param text: that, of the key itself.
    :param operators: the schema of its operators, quoted.
    :param not_null: it is a column that promises so.
    """

    tag: str
    plain: bool
    select: Select
    text: str
    operators: str
    not_null: bool = False


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
    :param hidden: the keys that must be selected as text, behind the request's columns, and as what.
    :param nulls_first: keys of the order that may be NULL.
    :param tied: the test, in SQL, whether a row's keys equal the next row's; None when their texts tell.
    """

    parts: tuple[MarkPart, ...] = ()
    hidden: tuple[str, ...] = ()
    nulls_first: Keys = ()
    tied: str | None = None

    def position(self, batch: pa.RecordBatch, row: int) -> Position | None:
        """Return the position of a row; None when a key is NULL: a position has no word for it."""
        cells = [batch.column(part.place).slice(row, 1) for part in self.parts]
        if any(cell.null_count for cell in cells):
            return None
        return Position.row(
            *(Position(part.tag, part.text(cell)) for part, cell in zip(self.parts, cells, strict=True))
        )


class KeyTypes:
    """Remembers the types of keys, so that a paged read asks for them once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Relation, Keys], tuple[KeyType, ...]] = {}

    def of(self, session: Session, relation: Relation, keys: Keys) -> tuple[KeyType, ...]:
        """Return the types of keys."""
        if not keys:
            return ()
        if (relation, keys) not in self._known:
            expressions = tuple(key_expression(key) for key in keys)
            not_null = {ColumnKey(name) for name in not_null_columns(session, relation)}
            facts = zip(keys, expression_types(session, relation, expressions), strict=True)
            self._known[relation, keys] = tuple(_key_type(key, one, not_null=key in not_null) for key, one in facts)
        return self._known[relation, keys]

    def schemas(self, session: Session, request: ReadRequest) -> Schemas:
        """Return where the operators are that a request needs; the server is asked only about types of others."""
        keys = foreign_keys(request)
        if not keys or request.relation is None:
            return {}
        found = self.of(session, request.relation, keys)
        return {key: one.operators for key, one in zip(keys, found, strict=True)}


def _key_type(key: KeyExpression, facts: KeyFacts, *, not_null: bool) -> KeyType:
    # A cast of a user's type to text may be the user's own function, and then says something else than the value.
    select = PRINTED if facts.type.odd_text and not facts.type.own else TEXT
    return KeyType(
        tag=tag(facts.type),
        plain=equal_by_text(facts.type) and not facts.loose,
        select=select,
        text=select.of(f"({key_expression(key)})"),
        operators=facts.operators,
        not_null=not_null,
    )


def plan_marks(request: ReadRequest, types: Callable[[Keys], tuple[KeyType, ...]]) -> MarkPlan:
    """Return how the marks of a request are made.

    :param types: asks the server for the types of keys.
    """
    parts: list[MarkPart | None] = [_delivered(key, request.columns) for key in request.order]
    hidden = tuple(key for key, part in zip(request.order, parts, strict=True) if part is None)
    found = types(hidden)
    texts = (MarkPart(place=len(request.columns) + place, tag=one.tag, text=_string) for place, one in enumerate(found))
    nulls_first = _nullable(request, dict(zip(hidden, found, strict=True)))
    return MarkPlan(
        parts=tuple(part if part is not None else next(texts) for part in parts),
        hidden=tuple(one.text for one in found),
        nulls_first=nulls_first,
        tied=None if all(one.plain for one in found) else _tied(request.order, nulls_first, types(request.order)),
    )


def _nullable(request: ReadRequest, types: dict[KeyExpression, KeyType]) -> Keys:
    """Return which keys of the order may be NULL in the rows that are asked for."""
    known: dict[KeyExpression, bool] = {ColumnKey(column.name): column.not_null for column in request.columns}
    nullable = [key for key in request.order if not (known.get(key) or (key in types and types[key].not_null))]
    first = request.order[:1]
    return tuple(
        key for key in nullable if (key,) != first or not any(excludes_null(term, key) for term in request.terms)
    )


def _tied(order: Keys, nulls_first: Keys, types: tuple[KeyType, ...]) -> str:
    """Return the test whether the next row is equal in all keys; only the server knows what is equal to what."""
    window = f"OVER (ORDER BY {order_by(order, nulls_first)})"
    tests = []
    for key, one in zip(map(key_expression, order), types, strict=True):
        following = f"pg_catalog.lead({key}) {window}"
        # Not IS NOT DISTINCT FROM, which takes the first operator of that name in the search path.
        same = f"{following} {operator('=', one.operators)} {key}"
        tests.append(f"coalesce({same}, {following} IS NULL AND {key} IS NULL)")
    return " AND ".join(tests)


def _delivered(key: KeyExpression, columns: tuple[Column, ...]) -> MarkPart | None:
    """Return how a key is taken from the column that is delivered anyway; None when that is not lossless."""
    if not isinstance(key, ColumnKey):
        return None
    quoted = identifier(key.name)
    for place, column in enumerate(columns):
        if column.name == key.name and column.expression in {quoted, INT8.of(quoted)}:
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
