"""Columns that arrive as exact text though a person may know a better type for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rivet_core.types import Fidelity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.types import Column

#: Only the owner of the data knows how many digits such a column has.
_NUMBER: Final = re.compile(r"(?:numeric|decimal|dec|number)", re.IGNORECASE)
_DECIMAL: Final = "decimal(38,18)"


def proposed(columns: Iterable[Column]) -> tuple[tuple[str, str], ...]:
    """Return type words for the columns that need a decision; whether the source takes them is not known yet.

    Left out are names that ``columns:`` cannot say: a dot would part a table from its column.
    """
    return tuple(
        (column.name, _DECIMAL)
        for column in as_text(columns)
        if _NUMBER.fullmatch(column.native_type) and "." not in column.name and "${" not in column.name
    )


def as_text(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Return the columns that arrive as the source's own text, because no type means the same."""
    return tuple(column for column in columns if column.fidelity is Fidelity.TEXT)
