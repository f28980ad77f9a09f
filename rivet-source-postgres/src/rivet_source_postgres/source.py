"""The PostgreSQL source: which connection is asked what, and when it is opened and closed."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rivet_core.types import Snapshot
from rivet_source_postgres import failures, listing, pressure, probes, read
from rivet_source_postgres.describe import describe
from rivet_source_postgres.endpoint import resolve
from rivet_source_postgres.marks import KeyTypes
from rivet_source_postgres.session import Login, Session
from rivet_source_postgres.uri import build_uri, settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime

    from rivet_core.protocols import Batch
    from rivet_core.requests import Keys, ReadContext, ReadRequest
    from rivet_core.schema import Bounds, Key, RelationFacts, TableSchema
    from rivet_core.types import ColumnRules, Position, Relation, SourceIdentity, Verdict
    from rivet_source_postgres.options import PostgresOptions


class PostgresSource:
    """A source, a catalogue source, a snapshot source and a pressure source over one server."""

    def __init__(self, options: PostgresOptions) -> None:
        self._options = options
        self._session: Session | None = None
        self._second: Session | None = None
        self._holding: list[Session] = []
        self._types = KeyTypes()
        self._identity: SourceIdentity | None = None

    def identity(self) -> SourceIdentity:
        if self._identity is None:
            self._identity = probes.identity(self._idle())
        return self._identity

    def check(self) -> None:
        self._idle().rows("SELECT 1 AS one")

    def relations(self) -> tuple[RelationFacts, ...]:
        return listing.relations(self._idle())

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        return describe(self._idle(), relation, rules)

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        return probes.keys(self._idle(), relation)

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        return probes.bounds(self._idle(), relation, column, self._types)

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        return probes.split(self._idle(), request, keys, n, self._types)

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        snapshot = None if context.snapshot is None else context.snapshot.token
        return probes.count(self._idle(), request, snapshot, self._types)

    def now(self) -> datetime:
        return probes.now(self._idle())

    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Iterator[Batch]]:
        return read.read(self._main(), request, context, types=self._types)

    def pressure(self) -> int | None:
        return pressure.pressure(self._idle())

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Hold an exported snapshot on a connection of its own."""
        session = Session(self._login())
        self._holding.append(session)
        try:
            with session.transaction(keep=True):
                # Holding it means being idle in a transaction, which a server may punish.
                sql = (
                    "SELECT pg_catalog.pg_export_snapshot() AS token,"
                    " pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true)"
                )
                try:
                    yield Snapshot(token=session.rows(sql)[0]["token"], travels=True)
                finally:
                    # Not committed: who has read in it does not mind that its connection died meanwhile.
                    session.close()
        finally:
            self._holding.remove(session)
            session.close()

    def cancel(self) -> None:
        # Side by side: a server that takes one cancel may leave another unanswered. Returns behind the last one.
        sessions = [session for session in (self._session, self._second, *self._holding) if session is not None]
        threads = [threading.Thread(target=one.cancel, name="rivet-cancel", daemon=True) for one in sessions[1:]]
        for thread in threads:
            thread.start()
        for session in sessions[:1]:
            session.cancel()
        for thread in threads:
            thread.join()

    def verdict(self, error: BaseException) -> Verdict:
        return failures.verdict(error)

    def close(self) -> None:
        for session in (self._session, self._second):
            if session is not None:
                session.close()

    # -- inside ---------------------------------------------------------------

    def _login(self) -> Login:
        endpoint = resolve(self._options)
        return Login(
            uri=build_uri(endpoint, self._options),
            plain_uri=build_uri(endpoint, self._options, with_settings=False),
            settings=settings(self._options),
        )

    def _main(self) -> Session:
        if self._session is None:
            self._session = Session(self._login())
        return self._session

    def _idle(self) -> Session:
        """Return a connection without an open stream: a question on the other one would end its stream."""
        main = self._main()
        if not main.busy:
            return main
        if self._second is None:
            self._second = Session(self._login())
        return self._second
