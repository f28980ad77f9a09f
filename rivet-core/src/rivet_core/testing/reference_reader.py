"""A runner's reader over any open source, with a frozen clock; it hands out facts and no rows."""

from __future__ import annotations

from datetime import datetime

import attrs

from rivet_core.protocols import Source
from rivet_core.requests import Keys, ReadRequest
from rivet_core.schema import Bounds, Key
from rivet_core.types import ColumnRules, Position, Relation


@attrs.frozen(kw_only=True)
class ReferenceReader:
    """See :class:`~rivet_core.protocols.Reader`."""

    source: Source
    request: ReadRequest
    clock: datetime
    position: Position | None = None
    workers: int = 1
    estimated_rows: int | None = None
    end: Position | None = None

    @staticmethod
    def over(
        source: Source, relation: Relation, *, position: Position | None = None, workers: int = 1
    ) -> ReferenceReader:
        """Return the reader of a whole relation."""
        described = source.describe(relation, ColumnRules())
        return ReferenceReader(
            source=source,
            request=ReadRequest(relation=relation, columns=described.columns),
            clock=source.now(),
            position=position,
            workers=workers,
            estimated_rows=described.estimated_rows,
        )

    def keys(self) -> tuple[Key, ...]:
        return self.source.keys(self._relation)

    def bounds(self, column: str) -> Bounds | None:
        return self.source.bounds(self._relation, column)

    def split(self, keys: Keys, n: int) -> tuple[Position, ...]:
        return self.source.split(self.request, keys, n)

    def now(self) -> datetime:
        return self.clock

    def head(self) -> Position | None:
        return self.end

    @property
    def _relation(self) -> Relation:
        if self.request.relation is None:
            msg = "a stream has no relation whose facts could be asked"
            raise LookupError(msg)
        return self.request.relation
