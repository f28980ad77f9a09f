"""Every error that rivet raises on purpose, arranged by what a person has to do about it."""

from __future__ import annotations

from rivet_core.errors.classes import (
    BusyError,
    DriftError,
    EnvironmentFailure,
    IntegrityError,
    InternalError,
    RefusalError,
    RivetError,
    SnapshotGone,
    StaleWriter,
    UsageError,
)
from rivet_core.errors.exits import Exit
from rivet_core.errors.place import Place
from rivet_core.errors.registry import CODES, CodeFacts

__all__ = [
    "CODES",
    "BusyError",
    "CodeFacts",
    "DriftError",
    "EnvironmentFailure",
    "Exit",
    "IntegrityError",
    "InternalError",
    "Place",
    "RefusalError",
    "RivetError",
    "SnapshotGone",
    "StaleWriter",
    "UsageError",
]
