"""SQLite's errors as errors with a recovery."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from rivet_core.errors import BusyError, EnvironmentFailure, InternalError, Place, RivetError

if TYPE_CHECKING:
    from pathlib import Path

#: SQLite's primary result codes.
_BUSY = {5, 6}
_UNWRITABLE = {8, 10, 13, 14, 23}
_CORRUPT = {11, 26}


def state_failure(error: sqlite3.Error, path: Path) -> RivetError:
    """Return what an error of the state database means for its user."""
    place = Place(file=str(path))
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    text = str(error)
    if code in _BUSY:
        return BusyError(
            "another program holds the state file",
            code="RIVET_STATE_DATABASE_LOCKED",
            place=place,
            remedy="wait for it, or close the program that opened the file, then run the same command",
        )
    if code in _CORRUPT:
        return EnvironmentFailure(
            f"the state file is damaged or not a database: {text}",
            code="RIVET_STATE_FILE_CORRUPT",
            place=place,
            remedy="restore it from a backup; or move it away, and every export starts anew",
        )
    if code in _UNWRITABLE:
        return EnvironmentFailure(
            f"the state file cannot be written: {text}",
            code="RIVET_STATE_NOT_WRITABLE",
            place=place,
            remedy="check the folder's permissions and free space, then run the same command again: "
            "nothing that was recorded is lost or read again",
        )
    return InternalError(f"the state database refused a statement: {text}", code="RIVET_INTERNAL_LEDGER", place=place)
