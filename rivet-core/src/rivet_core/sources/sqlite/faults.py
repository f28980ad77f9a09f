"""SQLite's errors in our words, and whether trying again can help."""

from __future__ import annotations

import re
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rivet_core.errors import EnvironmentFailure, Place, RefusalError, RivetError
from rivet_core.types import Relation, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What to do, by what SQLite says, while the file is opened as well as later.
_REMEDIES: Final = {
    **dict.fromkeys(
        (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FORMAT),
        "The file is damaged: see what PRAGMA integrity_check says of a copy of it, and restore it from a backup, or"
        " save what can be read with the command .recover of sqlite3.",
    ),
    sqlite3.SQLITE_NOTADB: "Check that source.path is a database of SQLite 3, and that it is not encrypted.",
    sqlite3.SQLITE_READONLY: (
        "A program ended in the middle of a transaction, which only a writer can roll back: open the file once for"
        " writing, with sqlite3 and a SELECT, then run again."
    ),
    **dict.fromkeys(
        (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH),
        "Check that the file and its folder are readable, with its -wal and -shm files, and that a place for"
        " temporary files has room.",
    ),
    sqlite3.SQLITE_IOERR: "Check the disk or the network drive that the file lies on, then run again.",
    sqlite3.SQLITE_NOMEM: "Run again when more memory is free, or lower tuning.batch_size.",
    sqlite3.SQLITE_FULL: "Make room where SQLite keeps temporary files (SQLITE_TMPDIR), or read over an index.",
    sqlite3.SQLITE_TOOBIG: "Leave the column out, or cut its value in a query: SQLite itself cannot hand it over.",
    sqlite3.SQLITE_INTERRUPT: "Run again; nothing is wrong with the database.",
}
_BAD_TEXT = re.compile(r"^Could not decode to UTF-8 column '(?P<column>.*)' with text", re.DOTALL)
_WHEN_FREE: Final = "Run again when its transaction has ended; a database in WAL mode does not make readers wait."
_WAIT = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_SCHEMA})
_OPEN_AGAIN = frozenset({sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM})
_SETTINGS = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY})


def primary_code(error: BaseException) -> int | None:
    """Return the primary result code of an error or of its cause, or None."""
    cause = error if isinstance(error, sqlite3.Error) else error.__cause__
    code = getattr(cause, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def verdict(error: BaseException) -> Verdict:
    """Return whether trying again can help."""
    code = primary_code(error)
    if code in _WAIT:
        return Verdict.RETRY
    if code in _OPEN_AGAIN:
        return Verdict.RECONNECT
    if code in _SETTINGS:
        return Verdict.CONFIG
    return Verdict.FATAL


@contextmanager
def translated(relation: Relation | None, *, describing: bool = False) -> Iterator[None]:
    """Raise what SQLite says as an error with a code, a place and a remedy.

    :param describing: the relation's columns are asked for, so that none of them can have changed.
    """
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise failure(error, relation, describing=describing) from error


def failure(error: Exception, relation: Relation | None, *, describing: bool = False) -> RivetError:
    """Return the error of a statement in our words, see :func:`translated`."""
    name = None if relation is None else str(relation)
    place = Place(relation=name)
    text = str(error)
    code = primary_code(error)
    bad_text = _BAD_TEXT.match(text)
    if bad_text:
        return RefusalError(
            "a text is not valid UTF-8",
            code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
            place=Place(relation=name, field=bad_text["column"]),
            remedy="Read the column's bytes with columns: {name: binary}, or mend the text in the database.",
        )
    if code in _WAIT:
        return EnvironmentFailure(
            f"the database is held by another program: {text}",
            code="RIVET_SOURCE_QUERY_FAILED",
            place=place,
            remedy=_WHEN_FREE,
            transient=True,
        )
    if text.startswith("no such column") and not describing:
        return EnvironmentFailure(
            f"the relation's columns changed: {text}",
            code="RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ",
            place=place,
            remedy="Run again, so that the relation is described anew.",
            transient=True,
        )
    return EnvironmentFailure(
        f"SQLite refused: {text}",
        code="RIVET_SOURCE_QUERY_FAILED",
        place=place,
        remedy=_REMEDIES.get(code or 0, "Try the relation or the query with sqlite3, and mend what it complains of."),
        transient=code in _OPEN_AGAIN,
    )


def unusable(file: Path, error: sqlite3.Error) -> EnvironmentFailure:
    """Return the error of a file that cannot be opened."""
    code = primary_code(error)
    waits = code in _WAIT
    reason = "is held by another program" if waits else "cannot be read as an SQLite database"
    remedy = "Check that the file is a database of SQLite 3 and that its folder is readable."
    return EnvironmentFailure(
        f"{file} {reason}: {error}",
        code="RIVET_SOURCE_CONNECT_FAILED",
        remedy=_WHEN_FREE if waits else _REMEDIES.get(code or 0, remedy),
        transient=waits or code in _OPEN_AGAIN,
    )


def unknown(error: sqlite3.Error) -> bool:
    """Return whether SQLite does not know what a statement names, and not that it was held up or interrupted."""
    return primary_code(error) == sqlite3.SQLITE_ERROR
