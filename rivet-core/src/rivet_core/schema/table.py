"""The columns of a relation as they will be delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.types import Column

if TYPE_CHECKING:
    import pyarrow as pa

#: Names that start so belong to rivet.
META_PREFIX = "_rivet_"


@attrs.frozen(kw_only=True)
class TableSchema:
    """The columns in the relation's own order; zero rows have the same schema as many.

    :param estimated_rows: from the catalogue, never counted; None when unknown.
    :param remarks: what a person should know of the rows that a read delivers, such as that some are kept back; they
        are warnings of the check and of the run.
    """

    columns: tuple[Column, ...]
    estimated_rows: int | None = None
    remarks: tuple[str, ...] = ()

    @property
    def arrow(self) -> pa.Schema:
        """The Arrow schema that each batch is checked against."""
        import pyarrow as pa

        return pa.schema([column.field for column in self.columns])

    def column(self, name: str) -> Column | None:
        """Return the column of that exact name."""
        return next((column for column in self.columns if column.name == name), None)
