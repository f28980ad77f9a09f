"""The only module that calls the ADBC driver: connect, run, read with the SQLSTATE kept.

The driver's DB-API layer is not used: its record batch reader loses the SQLSTATE of whatever happens in mid-stream.
"""

from __future__ import annotations

import atexit
import signal
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import adbc_driver_manager
import adbc_driver_postgresql
import attrs
import pyarrow as pa

from rivet_source_postgres.uri import opening_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.types import Secret

T = TypeVar("T")

#: How long closing waits for somebody who connects to the same server.
_CLOSE_PATIENCE_S: Final = 1.0

#: Whatever the driver raises; the bare Arrow and system errors come out of its stream.
ERRORS: Final = (adbc_driver_manager.Error, pa.ArrowException, OSError)


def _reader_class() -> Any:
    """Return the reader that keeps the SQLSTATE; it is private to the driver's manager, so it may be gone one day."""
    try:
        from adbc_driver_manager._reader import AdbcRecordBatchReader
    except ImportError:
        # Then errors in mid-stream are told apart by their text.
        return pa.RecordBatchReader
    return AdbcRecordBatchReader


_READER: Final = _reader_class()

#: Where batches are copied to. Arrow's default pool gives memory back to the system in between, and getting it again
#: for each batch takes several times as long as the copying.
_POOL: Final = pa.system_memory_pool()


def _direct(call: Callable[[], T], args: tuple[()], kwargs: dict[str, Any], cancel: Callable[[], None]) -> T:
    del args, kwargs, cancel
    return call()


#: Lets Ctrl-C end a call that blocks in the main thread; private like the reader.
_BLOCKING: Final = getattr(adbc_driver_manager._lib, "_blocking_call", _direct)  # noqa: SLF001


def _interruptible(call: Callable[[], T], cancel: Callable[[], None]) -> T:
    """Call what may block; Ctrl-C cancels it, and then reaches the handler for which it was meant."""
    interrupted = False

    def interrupt() -> None:
        nonlocal interrupted
        interrupted = True
        cancel()

    try:
        result: T = _BLOCKING(call, (), {}, interrupt)
        return result
    finally:
        if interrupted:
            signal.raise_signal(signal.SIGINT)


class Statement:
    """One statement; its result is read with :meth:`next_batch`, and it must be closed before its connection."""

    def __init__(self, connection: adbc_driver_manager.AdbcConnection) -> None:
        self._statement = adbc_driver_manager.AdbcStatement(connection)
        self._reader: Any = None

    def run(self, sql: str, *, batch_bytes: int | None = None) -> None:
        """Start the statement.

        :param batch_bytes: about how large a batch is; the driver counts bytes, not rows.
        """
        if batch_bytes is not None:
            name = adbc_driver_postgresql.StatementOptions.BATCH_SIZE_HINT_BYTES.value
            self._statement.set_options(**{name: str(batch_bytes)})
        self._statement.set_sql_query(sql)
        handle, _ = _interruptible(self._statement.execute_query, self._statement.cancel)
        self._reader = _READER._import_from_c(handle.address)  # noqa: SLF001 - Arrow's own name for it

    def next_batch(self) -> pa.RecordBatch | None:
        """Return the next batch, or None behind the last one."""
        try:
            batch = _interruptible(self._reader.read_next_batch, self._statement.cancel)
        except StopIteration:
            return None
        # The driver's buffers grew by doubling and take almost twice the memory of what they hold, and they are freed
        # only all at once, when nobody needs any of their columns any more.
        columns = [pa.concat_arrays([column], memory_pool=_POOL) for column in batch.columns]
        return pa.RecordBatch.from_arrays(columns, schema=batch.schema)

    def schema(self, sql: str) -> pa.Schema:
        """Return the schema of a statement's result without running it."""
        self._statement.set_sql_query(sql)
        return pa.schema(self._statement.execute_schema())

    @property
    def delivered(self) -> pa.Schema:
        """The schema of the running statement's batches."""
        return self._reader.schema

    def cancel(self) -> None:
        """End the running statement with an error; from any thread."""
        self._statement.cancel()

    def close(self) -> None:
        """Close the result and the statement; without :meth:`cancel` the rest of the result is drained."""
        try:
            if self._reader is not None:
                self._reader.close()
        finally:
            self._reader = None
            self._statement.close()


@attrs.define
class _Handle:
    """A database handle and the number of its connections, which the driver counts without a lock of its own."""

    lock: threading.Lock = attrs.field(factory=threading.Lock)
    database: adbc_driver_manager.AdbcDatabase | None = None
    users: int = 0

    def close_idle(self) -> None:
        """Close it when nobody uses it; one that is just being made is used."""
        if self.lock.acquire(blocking=False):
            try:
                if self.database is not None and not self.users:
                    self.database.close()
                    self.database = None
            finally:
                self.lock.release()


def _opened(uri: Secret) -> adbc_driver_manager.AdbcDatabase:
    database: adbc_driver_manager.AdbcDatabase = adbc_driver_postgresql.connect(opening_uri(uri).reveal())
    try:
        # Connections have the user's own search path.
        database.set_options(uri=uri.reveal())
    except BaseException:
        database.close()
        raise
    return database


class _Databases:
    """The database handles of this process, one a URI, and the last one that was used for the next who wants it.

    Making one reads the whole catalogue of types and columns, which takes longer than everything else together. A
    handle does not notice types that are made later, but only the server's own ones are ever delivered. It holds no
    connection. Each has a lock of its own: whoever waits for a server that never answers keeps nobody else waiting.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handles: dict[str, _Handle] = {}

    def connect(self, uri: Secret) -> adbc_driver_manager.AdbcConnection:
        key = uri.reveal()
        with self._lock:
            handle = self._handles.setdefault(key, _Handle())
            others = [one for one in self._handles.values() if one is not handle]
        for one in others:
            one.close_idle()
        with handle.lock:
            if handle.database is None:
                handle.database = _opened(uri)
            connection = adbc_driver_manager.AdbcConnection(handle.database)
            handle.users += 1
        return connection

    def close(self, uri: Secret, connection: adbc_driver_manager.AdbcConnection) -> None:
        with self._lock:
            handle = self._handles[uri.reveal()]
        if handle.lock.acquire(timeout=_CLOSE_PATIENCE_S):
            try:
                _close(handle, connection)
            finally:
                handle.lock.release()
        else:
            # Somebody connects to the same server meanwhile, and it may never answer.
            threading.Thread(target=_close_later, args=(handle, connection), daemon=True).start()

    def clear(self) -> None:
        """Close what nobody uses."""
        with self._lock:
            handles = tuple(self._handles.values())
        for handle in handles:
            handle.close_idle()


def _close(handle: _Handle, connection: adbc_driver_manager.AdbcConnection) -> None:
    handle.users -= 1
    connection.close()


def _close_later(handle: _Handle, connection: adbc_driver_manager.AdbcConnection) -> None:
    with handle.lock, suppress(*ERRORS):
        _close(handle, connection)


_DATABASES: Final = _Databases()
atexit.register(_DATABASES.clear)


class GivenUp(Exception):
    """The wait for a connection was ended."""


class Connecting:
    """An attempt to connect whose wait can be ended.

    The driver's library waits for its server, or for its name, and nothing ends that before ``connect_timeout``. So it
    waits on a thread of its own; one that is given up ends by itself, and closes what it may still get.
    """

    def __init__(self, uri: Secret) -> None:
        self._uri = uri
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._given_up = False
        self._connection: Connection | None = None
        self._error: BaseException | None = None

    def wait(self) -> Connection:
        """Return the connection, which is the caller's to close from then on; :meth:`give_up` no longer reaches it.

        :raises GivenUp: when :meth:`give_up` was called first, or Ctrl-C was pressed in the main thread.
        """
        # A daemon: it must not keep a stopped process alive.
        threading.Thread(target=self._connect, name="rivet-connect", daemon=True).start()
        try:
            _interruptible(self._ended.wait, self.give_up)
        except BaseException:
            self.give_up()
            raise
        if self._error is not None:
            raise self._error
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is None:
            raise GivenUp
        return connection

    def give_up(self) -> None:
        """End the wait; from any thread."""
        with self._lock:
            self._given_up = True
            late, self._connection = self._connection, None
        self._ended.set()
        if late is not None:
            # Nobody wants it, so nobody is told that it broke.
            with suppress(*ERRORS):
                late.close()

    def _connect(self) -> None:
        connection, error = None, None
        try:
            connection = Connection(self._uri)
        except BaseException as raised:  # noqa: BLE001 - raised where it is waited for
            error = raised
        with self._lock:
            late = self._given_up
            if not late:
                self._connection, self._error = connection, error
        self._ended.set()
        if late and connection is not None:
            with suppress(*ERRORS):
                connection.close()


class Connection:
    """A connection."""

    def __init__(self, uri: Secret) -> None:
        self._uri = uri
        self._connection = _DATABASES.connect(uri)

    def statement(self) -> Statement:
        """Return a new statement; one at a time may be running."""
        return Statement(self._connection)

    def begin(self) -> None:
        """Let the next statement open a transaction.

        A BEGIN of our own would be prepared first, and a pooler could prepare it on one server and run it on another.
        """
        self._connection.set_autocommit(enabled=False)

    def commit(self) -> None:
        """End the transaction."""
        self._connection.commit()
        self._connection.set_autocommit(enabled=True)

    def close(self) -> None:
        """Close the connection; its statements must be closed before."""
        _DATABASES.close(self._uri, self._connection)
