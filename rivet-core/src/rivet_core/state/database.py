"""The connection to the state file: opening it safely, and transactions on it."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from rivet_core.errors import EnvironmentFailure, Place, RefusalError
from rivet_core.state.failures import state_failure
from rivet_core.state.location import refuse_network_filesystem
from rivet_core.state.schema import APPLICATION_ID, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType


def _ignore(statement: str) -> None:
    del statement


class StateDatabase:
    """An open state file, shared by the run's threads; transactions take turns.

    :param path: made when absent, with its tables.
    :param wait_seconds: how long a statement waits for another process's transaction.
    :param before_statement: called with each statement before it runs, so that a test can die there.
    :raises RivetError: when the file is locked, corrupt, from the future, unwritable or on a network file system.
    """

    def __init__(
        self,
        path: Path,
        *,
        wait_seconds: float = 10.0,
        before_statement: Callable[[str], None] = _ignore,
    ) -> None:
        self.path = path
        self._turn = threading.RLock()
        self._before = before_statement
        refuse_network_filesystem(path)
        try:
            self._connection = sqlite3.connect(
                path, timeout=wait_seconds, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise state_failure(error, path) from error
        try:
            self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        application = self._value("PRAGMA application_id")
        version = self._value("PRAGMA user_version")
        if application == 0 and version == 0 and self._value("SELECT count(*) FROM sqlite_schema") == 0:
            self._configure()
            self._create()
            return
        if application != APPLICATION_ID:
            msg = "the state file is a database of another program"
            raise EnvironmentFailure(
                msg,
                code="RIVET_STATE_FILE_CORRUPT",
                place=Place(file=str(self.path)),
                remedy="move it away, or point RIVET_STATE_URL elsewhere",
            )
        if version > VERSION:
            msg = f"the state file has version {version}, and this rivet knows versions up to {VERSION}"
            raise RefusalError(
                msg,
                code="RIVET_STATE_SCHEMA_NEWER",
                place=Place(file=str(self.path)),
                remedy="run the newer rivet that wrote it",
            )
        self._configure()

    def _configure(self) -> None:
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
            self.execute(f"PRAGMA {pragma}")

    def _create(self) -> None:
        with self.transaction():
            # A second process may have created the tables while this one waited for the transaction.
            if self._value("PRAGMA application_id") == APPLICATION_ID:
                return
            for statement in TABLES:
                self.execute(statement)
            self.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self.execute(f"PRAGMA user_version = {VERSION}")

    def _value(self, statement: str) -> Any:
        return self.execute(statement).fetchone()[0]

    def execute(self, statement: str, parameters: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        """Run one statement; every statement of the state passes here.

        :raises RivetError: what the database's error means.
        """
        with self._turn:
            self._before(statement)
            try:
                return self._connection.execute(statement, parameters)
            except sqlite3.Error as error:
                raise state_failure(error, self.path) from error

    def rows(self, statement: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return a query's rows; the thread that asks sees no half-written transaction of another."""
        with self._turn:
            try:
                return self.execute(statement, parameters).fetchall()
            except sqlite3.Error as error:
                raise state_failure(error, self.path) from error

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """Everything in the block becomes durable together, or nothing does."""
        with self._turn:
            self.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.rollback()
                raise

    def close(self) -> None:
        """Close the file; safe to call again."""
        with self._turn:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
