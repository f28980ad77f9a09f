"""Names of runs, parts and quarantined objects: unique by construction, never by looking."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

QUARANTINE: Final = "_quarantine"

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


def new_run_id(export: str, started: datetime) -> str:
    """Return a run id: readable, sortable by time, with 64 random bits, since every pod's process id is 1."""
    stamp = f"{started:%Y%m%dT%H%M%S}.{started.microsecond // 1000:03d}"
    return f"{_UNSAFE.sub('_', export)}_{stamp}_{secrets.token_hex(8)}"


def is_unit_id(text: str) -> bool:
    """Return whether a unit may have this id: it stands in names of parts, where two must not become one."""
    return re.fullmatch(r"[A-Za-z0-9_-]+", text) is not None


def part_key(prefix: str, run_id: str, unit_id: str, attempt: int, sequence: int, extension: str) -> str:
    """Return a part's key: run, unit, attempt and sequence are in it, so no attempt can overwrite another's part.

    :param prefix: the dataset's, empty or ending in ``/``.
    """
    return f"{prefix}{run_id}_{_UNSAFE.sub('_', unit_id)}_a{attempt}_{sequence:05d}.{extension}"


def quarantine_key(run_id: str, key: str) -> str:
    """Return where an orphan is moved."""
    return f"{QUARANTINE}/{run_id}/{key}"
