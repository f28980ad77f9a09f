"""What a source tells of its relations before they are read."""

from __future__ import annotations

from rivet_core.schema.facts import Bounds, Key
from rivet_core.schema.listing import RelationFacts, RelationKind
from rivet_core.schema.table import META_PREFIX, TableSchema

__all__ = ["META_PREFIX", "Bounds", "Key", "RelationFacts", "RelationKind", "TableSchema"]
