"""The expressions that a relation can be ordered and sought by."""

from __future__ import annotations

import attrs


@attrs.frozen
class ColumnKey:
    """One column."""

    name: str


@attrs.frozen
class Coalesce:
    """The first of several columns that is not NULL."""

    columns: tuple[str, ...]


KeyExpression = ColumnKey | Coalesce
#: Ascending, the first key most significant.
Keys = tuple[KeyExpression, ...]
