"""Fetching rows a chunk at a time, so that no chunk holds much more than a batch may, however long cells grow.

Weighing every cell would slow the ordinary read down by half. So of a table SQLite itself is told to refuse long cells,
which costs nothing; at the first one the statement begins again in the same transaction, which gives the same rows in
the same order, and from there on rows are weighed. What might be in another order then is weighed from the start.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import deque
from itertools import accumulate, chain, islice, takewhile, tee
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rivet_core.sources.sqlite.faults import primary_code

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.sources.sqlite.statement import Statement

#: Rows a chunk. Large enough that the work a chunk costs nothing a row.
MOST: Final = 1024
#: Bytes of a cell from which on rows are weighed, at least and at most; what lies on one page is never refused.
_LONG: Final = (4096, 65_536)
#: Bytes of a weighed chunk, before its last row. With the longest cell of SQLite behind it, and two hexadecimal digits
#: for each byte, it still fits an Arrow array of text.
_HEAVY: Final = 32 * 1024 * 1024

T = TypeVar("T")


class Rows:
    """The rows of a statement, in chunks.

    :param repeatable: the statement gives the same rows in the same order again.
    :ivar weight: bytes of the last chunk, as Python keeps it; 0 where no cell is long enough to be weighed.
    """

    def __init__(self, cursor: sqlite3.Cursor, statement: Statement, budget: int, *, repeatable: bool) -> None:
        self.weight = 0
        self._cursor = cursor
        self._statement = statement
        self._long = min(max(budget // MOST, _LONG[0]), _LONG[1])
        self._given = 0
        # Rows that are sorted, and expressions that are the same in each row, are made when the statement begins.
        self._weighing = not repeatable or self._unless_long(self._execute) is None
        if self._weighing:
            self._execute()

    def take(self, most: int, size: int) -> list[tuple[Any, ...]]:
        """Return the next rows: at most so many, and fewer when they are heavy; none at the end.

        :param size: bytes after which a chunk of heavy rows ends, with the row that goes beyond.
        """
        chunk = None if self._weighing else self._unless_long(lambda: self._cursor.fetchmany(most))
        if chunk is None:
            if not self._weighing:
                self._begin_again()
            chunk = self._weighed(most, size)
        self._given += len(chunk)
        return chunk

    def _unless_long(self, step: Callable[[], T]) -> T | None:
        """Return what the step gives, or None when it meets a long cell."""
        connection = self._cursor.connection
        before = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._long)
        try:
            return step()
        except sqlite3.Error as error:
            if primary_code(error) != sqlite3.SQLITE_TOOBIG:
                raise
            return None
        finally:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, before)

    def _execute(self) -> sqlite3.Cursor:
        return self._cursor.execute(self._statement.sql, self._statement.parameters)

    def _begin_again(self) -> None:
        self._weighing = True
        self._execute()
        deque(islice(self._cursor, self._given), maxlen=0)

    def _weighed(self, most: int, size: int) -> list[tuple[Any, ...]]:
        ahead, kept = tee(islice(self._cursor, most))
        ends = max(1, min(size, _HEAVY))
        cells = accumulate(map(sys.getsizeof, chain.from_iterable(ahead)))
        light = list(takewhile(ends.__gt__, cells))
        width = len(self._cursor.description)
        # The row in which the weighing ended has been fetched.
        whole = len(light) // width
        chunk = list(islice(kept, whole + 1))
        last = sum(map(sys.getsizeof, chain.from_iterable(chunk[whole:])))
        self.weight = last + (light[-1] if light else 0)
        return chunk
