"""What was found out about one relation before its export is written."""

from __future__ import annotations

import attrs

from rivet_core.errors import RivetError
from rivet_core.schema import RelationFacts, TableSchema
from rivet_core.types import Column, Fidelity, told


@attrs.frozen(kw_only=True)
class Looked:
    """A relation and its columns as they would be delivered.

    :param overrides: type words that the source would accept for columns that arrive as text.
    """

    relation: RelationFacts
    schema: TableSchema
    overrides: tuple[tuple[str, str], ...] = ()

    @property
    def estimated_rows(self) -> int | None:
        """From the catalogue; None when unknown."""
        listed = self.relation.estimated_rows
        return self.schema.estimated_rows if listed is None else listed

    @property
    def comparable(self) -> tuple[Column, ...]:
        """The columns whose values arrive as what they are."""
        return tuple(one for one in self.schema.columns if one.fidelity in {Fidelity.EXACT, Fidelity.COMPATIBLE})


@attrs.frozen
class LeftOut:
    """A relation that cannot be exported as it is, and why."""

    relation: RelationFacts
    error: RivetError = attrs.field(converter=told)

    def __str__(self) -> str:
        return f"{str(self.relation.table) or 'a table without a name'}: {self.error.message}"
