"""What plugins declare that they can do; the conformance kit tests every claim."""

from __future__ import annotations

from rivet_core.capabilities.destination import DestinationCapabilities
from rivet_core.capabilities.format import FormatCapabilities
from rivet_core.capabilities.runner import RollPolicy, RunnerCapabilities
from rivet_core.capabilities.source import Restart, SnapshotSupport, SourceCapabilities

__all__ = [
    "DestinationCapabilities",
    "FormatCapabilities",
    "Restart",
    "RollPolicy",
    "RunnerCapabilities",
    "SnapshotSupport",
    "SourceCapabilities",
]
