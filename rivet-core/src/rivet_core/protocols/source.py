"""The source: where relations are described and read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from rivet_core.protocols.batch import Batch
    from rivet_core.requests import Keys, ReadContext, ReadRequest
    from rivet_core.schema import Bounds, Key, RelationFacts, TableSchema
    from rivet_core.types import ColumnRules, Position, Relation, Snapshot, SourceIdentity, Verdict


@runtime_checkable
class Source(Protocol):
    """One open source. The factory opens nothing; the first call that needs the server connects.

    One thread uses a source at a time, except for :meth:`cancel`. Every error that :meth:`verdict` does not know is
    fatal. Messages are free of secrets, or the engine's redactor makes them so.
    """

    def identity(self) -> SourceIdentity:
        """Return which server and database this is, asked from the server."""

    def check(self) -> None:
        """Connect and do nothing; safe to call again.

        :raises RivetError: when the server cannot be used, saying why.
        """

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Return the columns as they will be delivered, from the catalogue, without reading rows.

        :raises RivetError: ``RIVET_SOURCE_TABLE_NOT_FOUND``, or ``RIVET_TYPE_UNSAFE_MAPPING`` naming every column that
            cannot be delivered.
        """

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        """Return the keys that an index serves, the primary key first; empty for queries."""

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        """Return the column's extremes, or None when it has no value."""

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        """Return at most ``n - 1`` inner borders, ascending, that cut the request's rows into about equal shares."""

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        """Return how many rows the request has now."""

    def now(self) -> datetime:
        """Return the source's own clock, aware, in UTC."""

    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Iterator[Batch]]:
        """Read a request.

        The batches have the request's columns and types, also when there are no rows. Leaving the block early cancels
        the statement first and then closes it. At most one read is open at a time.
        """

    def cancel(self) -> None:
        """End a blocked read of another thread with an error, soon; nothing happens when none is open."""

    def verdict(self, error: BaseException) -> Verdict:
        """Return whether trying again can help after an error of this source."""

    def close(self) -> None:
        """Close everything; safe to call again."""


@runtime_checkable
class CatalogueSource(Protocol):
    """A source that can list what it has."""

    def relations(self) -> tuple[RelationFacts, ...]:
        """Return the tables and views that this user can read, ordered by schema and name, from the catalogue alone.

        The server's own relations are left out, and so are parts of relations that are read through the whole.
        """


@runtime_checkable
class SnapshotSource(Protocol):
    """A source of which several connections can read one consistent state."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Hold one consistent state open; it dies with the block, or with the server's connection."""


@runtime_checkable
class PressureSource(Protocol):
    """A source that can tell how hard its server works."""

    def pressure(self) -> int | None:
        """Return a count that grows while the server has more to do than it should, or None when it cannot be known.

        It is asked between the batches of an open read, on the thread that reads, and leaves that read as it is: what
        it needs of the server is answered at once, on a connection of its own.
        """


@runtime_checkable
class ChangeSource(Protocol):
    """A source that delivers changes in the order of their transactions."""

    def head(self) -> Position:
        """Return the end of the stream as of now, as a bound for a run."""

    def acknowledge(self, position: Position) -> None:
        """Let the source forget what lies at or before a position; doing it twice is harmless."""
