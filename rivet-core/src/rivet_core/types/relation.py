"""What an export reads: a table or a query."""

from __future__ import annotations

import attrs


@attrs.frozen
class Table:
    """A table, view or collection, by its exact names (unquoted, as the catalogue spells them)."""

    name: str
    schema: str | None = None

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


@attrs.frozen
class Query:
    """A user's own statement, in the source's language."""

    text: str

    def __str__(self) -> str:
        line = " ".join(self.text.split())
        return line if len(line) <= 60 else line[:57] + "…"


Relation = Table | Query
