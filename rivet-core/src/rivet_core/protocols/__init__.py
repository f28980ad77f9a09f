"""The protocols that plugins implement; no inheritance is needed, optional behaviour is a capability."""

from __future__ import annotations

from rivet_core.protocols.batch import Batch
from rivet_core.protocols.destination import Destination, RemovableDestination
from rivet_core.protocols.format import Format, FormatWriter, GroupWriter, ReadableFormat
from rivet_core.protocols.runner import Reader, Runner
from rivet_core.protocols.source import CatalogueSource, ChangeSource, PressureSource, SnapshotSource, Source

__all__ = [
    "Batch",
    "CatalogueSource",
    "ChangeSource",
    "Destination",
    "Format",
    "FormatWriter",
    "GroupWriter",
    "PressureSource",
    "ReadableFormat",
    "Reader",
    "RemovableDestination",
    "Runner",
    "SnapshotSource",
    "Source",
]
