"""Catalogue facts that planning decides by."""

from __future__ import annotations

import attrs

from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class Key:
    """Columns that an index can seek by.

    :param unique: no two rows are equal in all of them.
    :param not_null: no column of them may be NULL.
    :param full: the index covers every row (it is not partial).
    :param primary: it is the primary key.
    """

    columns: tuple[str, ...]
    unique: bool
    not_null: bool
    full: bool = True
    primary: bool = False

    @property
    def pageable(self) -> bool:
        """Whether a relation can be paged by this key without losing or doubling rows."""
        return self.unique and self.not_null and self.full


@attrs.frozen(kw_only=True)
class Bounds:
    """The smallest and the largest value of a column, and how many rows have none."""

    low: Position
    high: Position
    nulls: int
