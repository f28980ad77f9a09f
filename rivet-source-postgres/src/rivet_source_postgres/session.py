"""One connection to the server: small questions, one stream at a time, cancel from any thread."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import attrs
import pyarrow as pa

from rivet_core.errors import EnvironmentFailure, InternalError, RivetError, SnapshotGone
from rivet_source_postgres.driver import ERRORS, Connecting, Connection, GivenUp, Statement
from rivet_source_postgres.failures import failure, sqlstate
from rivet_source_postgres.pinned import pinned
from rivet_source_postgres.quoting import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rivet_core.types import Secret

#: What the versions of the server say of a snapshot that they do not know.
_NO_SNAPSHOT: Final = frozenset({"22023", "42704", "55000"})

_SETTLED: Final = pinned("pg_catalog.lower(pg_catalog.current_setting({name})) = {value}")


@attrs.frozen(kw_only=True)
class Login:
    """What a session needs to be opened.

    :param uri: with the settings in it.
    :param plain_uri: without them, for a transaction pooler.
    """

    uri: Secret
    plain_uri: Secret
    settings: Mapping[str, str]


class Session:
    """A connection that opens with the first question, and anew after it broke or a stream was left early."""

    def __init__(self, login: Login) -> None:
        self._login = login
        self._connection: Connection | None = None
        self._connecting: Connecting | None = None
        self._statement: Statement | None = None
        self._lock = threading.Lock()
        self._in_transaction = False
        self._cancelled = False
        #: Whether a pooler lies between, so that the settings must be made anew in each transaction.
        self.pooled = False
        #: The database's own encoding.
        self.encoding = ""

    @property
    def busy(self) -> bool:
        """Whether a stream is open: another statement would end it."""
        return self._statement is not None

    def open(self) -> Connection:
        """Connect, unless connected.

        :raises RivetError: saying why not.
        """
        if self._connection is not None:
            return self._connection
        try:
            self._connection = self._connect()
            self._greet(self._connection)
        except BaseException:
            self.close()
            raise
        return self._connection

    def rows(self, sql: str, *, relation: str | None = None) -> list[dict[str, Any]]:
        """Return the rows of a small result, one dictionary a row."""
        with self.transaction(), self.stream(sql, relation=relation) as batches:
            return [row for batch in batches for row in batch.to_pylist()]

    def schema(self, sql: str, *, relation: str | None = None) -> pa.Schema:
        """Return the driver's schema of a result without running the statement."""
        connection = self.open()
        with self.transaction():
            ended = False
            statement = self._begin_statement(connection, relation)
            try:
                schema = statement.schema(sql)
                ended = True
            except ERRORS as error:
                raise failure(error, relation=relation) from error
            finally:
                self._finish(statement, ended=ended)
            return schema

    @contextmanager
    def transaction(self, *, snapshot: str | None = None, keep: bool = False) -> Iterator[None]:
        """Put the block into a read-only transaction under the settings; a direct connection needs none for that.

        Inside another such block nothing happens.

        :param snapshot: read in this exported snapshot.
        :param keep: one snapshot for the whole block.
        """
        connection = self.open()
        if self._in_transaction or not (self.pooled or snapshot is not None or keep):
            yield
            return
        level = "REPEATABLE READ" if snapshot is not None or keep else "READ COMMITTED"
        try:
            self._begin(connection)
            self._execute(f"SET TRANSACTION ISOLATION LEVEL {level} READ ONLY")
            if snapshot is not None:
                self._enter(snapshot)
            if self.pooled:
                self._execute(self._local_settings())
            yield
            # A stream that was left early has closed the connection.
            if self._connection is not None:
                self._commit(connection)
        except BaseException:
            # Broken off in the middle: a new connection is cheaper than finding out what state this one is in.
            self.close()
            raise

    @contextmanager
    def stream(
        self, sql: str, *, batch_bytes: int | None = None, relation: str | None = None
    ) -> Iterator[Iterator[pa.RecordBatch]]:
        """Stream a result; one that is left early is cancelled, and its connection closed.

        The statement starts with the first batch that is asked for. The iterator raises errors of ours only.
        """
        connection = self.open()
        if self.busy:
            msg = "a second statement was begun on a connection whose stream is still open"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        ended = False

        def batches(statement: Statement) -> Iterator[pa.RecordBatch]:
            nonlocal ended
            try:
                # The server takes no notice of a cancel while nothing runs.
                self._refuse_cancelled()
                statement.run(sql, batch_bytes=batch_bytes)
                while (batch := statement.next_batch()) is not None:
                    self._refuse_cancelled()
                    yield batch
                    del batch
                self._refuse_cancelled()
            except ERRORS as error:
                raise failure(error, relation=relation) from error
            ended = True

        statement = self._begin_statement(connection, relation)
        try:
            yield batches(statement)
        finally:
            self._finish(statement, ended=ended)

    def cancel(self) -> None:
        """End the running statement, or the wait for a connection, with an error; else nothing happens."""
        with self._lock:
            connecting = self._connecting
            if self._statement is not None:
                self._cancelled = True
                with suppress(*ERRORS):
                    self._statement.cancel()
        if connecting is not None:
            connecting.give_up()

    def close(self) -> None:
        """Close everything that is open."""
        with self._lock:
            connection, self._connection = self._connection, None
            self._in_transaction = False
        if connection is not None:
            # A dead connection cannot be closed properly; the first error is the one that counts.
            with suppress(*ERRORS):
                connection.close()

    def _refuse_cancelled(self) -> None:
        if self._cancelled:
            msg = "the read was cancelled"
            raise EnvironmentFailure(msg, code="RIVET_SOURCE_QUERY_FAILED", remedy="Run the same command again.")

    def _begin_statement(self, connection: Connection, relation: str | None) -> Statement:
        try:
            with self._lock:
                self._cancelled = False
                self._statement = connection.statement()
                return self._statement
        except ERRORS as error:
            # It takes no statement any more; the next question opens another one.
            self.close()
            raise failure(error, relation=relation) from error

    def _finish(self, statement: Statement, *, ended: bool) -> None:
        with self._lock:
            self._statement = None
            with suppress(*ERRORS):
                if not ended:
                    # Closing alone would drain the rest of the result.
                    statement.cancel()
        with suppress(*ERRORS):
            statement.close()
        if not ended:
            # A cancel that comes late would hit the next statement.
            self.close()

    def _connect(self) -> Connection:
        try:
            return self._connect_to(self._login.uri)
        except ERRORS as error:
            if sqlstate(error) != "08P01":
                raise failure(error) from error
        # A transaction pooler takes no settings while connecting.
        try:
            return self._connect_to(self._login.plain_uri)
        except ERRORS as error:
            raise failure(error) from error

    def _connect_to(self, uri: Secret) -> Connection:
        connecting = Connecting(uri)
        with self._lock:
            self._connecting = connecting
        try:
            return connecting.wait()
        except GivenUp:
            msg = "the wait for a connection was ended before the server had answered"
            raise EnvironmentFailure(
                msg,
                code="RIVET_SOURCE_CONNECT_FAILED",
                remedy="Check host, port and the network, then run the same command again.",
                transient=True,
            ) from None
        finally:
            with self._lock:
                self._connecting = None

    def _execute(self, sql: str) -> None:
        with self.stream(sql) as batches:
            for _ in batches:
                pass

    def _begin(self, connection: Connection) -> None:
        try:
            connection.begin()
        except ERRORS as error:
            raise failure(error) from error
        self._in_transaction = True

    def _commit(self, connection: Connection) -> None:
        try:
            connection.commit()
        except ERRORS as error:
            raise failure(error) from error
        self._in_transaction = False

    def _enter(self, snapshot: str) -> None:
        try:
            self._execute(f"SET TRANSACTION SNAPSHOT {literal(snapshot)}")
        except RivetError as error:
            if sqlstate(error) not in _NO_SNAPSHOT:
                raise
            msg = f"the server no longer has the snapshot {snapshot}"
            raise SnapshotGone(
                msg,
                code="RIVET_SOURCE_SNAPSHOT_GONE",
                remedy="Start the run anew; it lived only as long as the connection that made it.",
            ) from error

    def _greet(self, connection: Connection) -> None:
        """Ask for the encoding, and whether the settings have arrived: a pooler may drop them without a word."""
        wanted = {name: value for name, value in self._login.settings.items() if not name.endswith("_timeout")}
        checks = " AND ".join(
            _SETTLED.format(name=literal(name), value=literal(value.lower())) for name, value in wanted.items()
        )
        sql = f"SELECT pg_catalog.current_setting('server_encoding') AS encoding, ({checks}) AS settled"
        self._begin(connection)
        with self.stream(sql) as batches:
            (answer,) = [row for batch in batches for row in batch.to_pylist()]
        self.encoding = answer["encoding"]
        self.pooled = not answer["settled"]
        self._commit(connection)

    def _local_settings(self) -> str:
        calls = [
            f"pg_catalog.set_config({literal(name)}, {literal(value)}, true)"
            for name, value in self._login.settings.items()
            if name != "default_transaction_read_only"
        ]
        return f"SELECT {', '.join(calls)}"
