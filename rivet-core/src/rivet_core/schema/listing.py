"""What a source's catalogue says of the relations that it has."""

from __future__ import annotations

from enum import StrEnum

import attrs

from rivet_core.types import Table


class RelationKind(StrEnum):
    """What a relation is to its source."""

    #: Also partitioned and foreign tables, and collections.
    TABLE = "table"
    VIEW = "view"
    MATERIALIZED_VIEW = "matview"


@attrs.frozen(kw_only=True)
class RelationFacts:
    """A relation that can be exported.

    :param table: the names that ``describe`` takes.
    :param estimated_rows: from the catalogue, never counted; None when unknown.
    :param total_bytes: likewise, with indexes and values that are kept elsewhere.
    :param primary_key: its columns in the key's order; empty for none.
    """

    table: Table
    kind: RelationKind = RelationKind.TABLE
    estimated_rows: int | None = None
    total_bytes: int | None = None
    primary_key: tuple[str, ...] = ()
