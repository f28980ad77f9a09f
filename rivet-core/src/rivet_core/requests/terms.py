"""The predicate terms of a read request: all of them hold. A new predicate is a new class here and in the codec.

A runner composes terms, a source translates them; nobody else looks inside.
"""

from __future__ import annotations

import attrs

from rivet_core.requests.keys import KeyExpression, Keys
from rivet_core.types import Position


@attrs.frozen
class After:
    """Rows strictly after a position in the order of the keys.

    Without keys the position is the source's own (a stream's), and the source reads on from it.
    """

    keys: Keys
    position: Position


@attrs.frozen
class AtOrAfter:
    """Rows at a position or after it."""

    keys: Keys
    position: Position


@attrs.frozen
class Until:
    """Rows at a position or before it; without keys, a stream's own bound, inclusive."""

    keys: Keys
    position: Position


@attrs.frozen
class Between:
    """Rows whose key lies in the half-open range ``low <= key < high``; None leaves an end open.

    A NULL key lies in no range, not even in one that is open at both ends; :class:`IsNull` reads those rows.
    """

    key: KeyExpression
    low: Position | None
    high: Position | None


@attrs.frozen
class IsNull:
    """Rows whose key is NULL."""

    key: KeyExpression


@attrs.frozen
class Since:
    """Rows whose column is at or after a literal in the source's language, such as a time window's start."""

    column: str
    literal: str


@attrs.frozen
class SourceRange:
    """A range that only its own source understands, such as PostgreSQL's pages.

    :param kind: registered by the source's declaration.
    :param data: JSON text.
    """

    kind: str
    data: str


Term = After | AtOrAfter | Until | Between | IsNull | Since | SourceRange
