"""Columns that a relation could be followed by (cursors) or cut by (chunks), with scores that only rank them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import attrs
import pyarrow as pa

if TYPE_CHECKING:
    from rivet_core.engine.scaffold.looked import Looked
    from rivet_core.types import Column

_UPDATED: Final = re.compile(r"updat|modif|chang", re.IGNORECASE)
_CREATED: Final = re.compile(r"creat|insert|added", re.IGNORECASE)
#: What a reason adds to the score.
_SCORES: Final = {
    "timestamp_type": 50,
    "integer_monotonic": 20,
    "name_suggests_updated": 30,
    "name_suggests_created": 10,
    "primary_key": 10,
    "nullable": -10,
}


@attrs.frozen(kw_only=True)
class Candidate:
    """A column with the reasons for and against it.

    :param moment: it is a point in time.
    """

    column: str
    data_type: str
    is_nullable: bool
    is_primary_key: bool
    score: int
    reasons: tuple[str, ...] = ()
    moment: bool = False


def cursors(looked: Looked) -> tuple[Candidate, ...]:
    """Return the columns that could tell new rows from old ones, the best first."""
    found = [_cursor(column, looked) for column in looked.comparable]
    return tuple(sorted((one for one in found if one is not None), key=lambda one: -one.score))


def fallback(found: tuple[Candidate, ...]) -> str | None:
    """Return the column that is never NULL and can stand in where the best cursor is, if there is such a pair."""
    if not found or not found[0].moment or not found[0].is_nullable:
        return None
    return next((one.column for one in found[1:] if one.moment and not one.is_nullable), None)


def chunks(looked: Looked) -> tuple[Candidate, ...]:
    """Return the integer columns, the primary key first."""
    key = looked.relation.primary_key
    found = [
        Candidate(
            column=column.name,
            data_type=column.native_type,
            is_nullable=not column.not_null,
            is_primary_key=key == (column.name,),
            score=60 if key == (column.name,) else 20,
        )
        for column in looked.comparable
        if pa.types.is_integer(column.field.type)
    ]
    return tuple(sorted(found, key=lambda one: -one.score))


def _cursor(column: Column, looked: Looked) -> Candidate | None:
    moment = bool(pa.types.is_timestamp(column.field.type))
    primary = looked.relation.primary_key == (column.name,)
    if not moment and not (primary and pa.types.is_integer(column.field.type)):
        return None
    reasons = ["timestamp_type" if moment else "integer_monotonic"]
    if moment and _UPDATED.search(column.name):
        reasons.append("name_suggests_updated")
    elif moment and _CREATED.search(column.name):
        reasons.append("name_suggests_created")
    if primary:
        reasons.append("primary_key")
    if not column.not_null:
        reasons.append("nullable")
    return Candidate(
        column=column.name,
        data_type=column.native_type,
        is_nullable=not column.not_null,
        is_primary_key=primary,
        score=sum(_SCORES[reason] for reason in reasons),
        reasons=tuple(reasons),
        moment=moment,
    )
