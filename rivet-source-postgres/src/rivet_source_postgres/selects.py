"""Expressions with a place for the column. The place is filled once, so nothing that a name holds is taken for it."""

from __future__ import annotations

from typing import Final

import attrs


@attrs.frozen
class Select:
    """What is selected for a column.

    :param text: SQL of ours with ``{c}`` where the column stands; nothing of a user's may be in it.
    """

    text: str

    def of(self, column: str) -> str:
        """Return it for a column.

        :param column: the column in SQL.
        """
        return self.text.replace("{c}", column)


#: The column as it is.
COLUMN: Final = Select("{c}")
TEXT_TYPE: Final = "pg_catalog.text"
TEXT: Final = Select(f"{{c}}::{TEXT_TYPE}")
INT8: Final = Select("{c}::pg_catalog.int8")
#: As :data:`TEXT`, by the type's output function, where the type's own cast to text may say something else.
PRINTED: Final = Select("CASE WHEN {c} IS NOT NULL THEN pg_catalog.format('%s', {c}) END")
