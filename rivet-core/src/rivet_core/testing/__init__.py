"""The conformance kit for authors of plugins: contracts to subclass, reference plugins to test against, an oracle.

Names are loaded when they are asked for: pytest imports this package at its start, before coverage, for the sake of
:mod:`rivet_core.testing.plugin`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rivet_core.testing.contract import needs
    from rivet_core.testing.contracts.destination import DestinationContract
    from rivet_core.testing.contracts.format import FormatContract
    from rivet_core.testing.contracts.packaging import PackagingContract
    from rivet_core.testing.contracts.runner import RunnerContract
    from rivet_core.testing.contracts.source import SourceContract
    from rivet_core.testing.entries import installed
    from rivet_core.testing.memory_destination import MemoryDestination, MemoryOptions, MemoryStore, memory_type
    from rivet_core.testing.oracle import Account, Loss, all_runs, is_finished, read_through_manifests, rows_of
    from rivet_core.testing.reference_reader import ReferenceReader
    from rivet_core.testing.reference_source import (
        ReferenceDatabase,
        ReferenceOptions,
        ReferenceSource,
        reference_type,
    )
    from rivet_core.testing.rows import row_texts
    from rivet_core.testing.samples import Filled, Sample, Typed

__all__ = [
    "Account",
    "DestinationContract",
    "Filled",
    "FormatContract",
    "Loss",
    "MemoryDestination",
    "MemoryOptions",
    "MemoryStore",
    "PackagingContract",
    "ReferenceDatabase",
    "ReferenceOptions",
    "ReferenceReader",
    "ReferenceSource",
    "RunnerContract",
    "Sample",
    "SourceContract",
    "Typed",
    "all_runs",
    "installed",
    "is_finished",
    "memory_type",
    "needs",
    "read_through_manifests",
    "reference_type",
    "row_texts",
    "rows_of",
]

_HOMES = {
    "contract": ("needs",),
    "contracts.destination": ("DestinationContract",),
    "contracts.format": ("FormatContract",),
    "contracts.packaging": ("PackagingContract",),
    "contracts.runner": ("RunnerContract",),
    "contracts.source": ("SourceContract",),
    "entries": ("installed",),
    "memory_destination": ("MemoryDestination", "MemoryOptions", "MemoryStore", "memory_type"),
    "oracle": ("Account", "Loss", "all_runs", "is_finished", "read_through_manifests", "rows_of"),
    "reference_reader": ("ReferenceReader",),
    "reference_source": ("ReferenceDatabase", "ReferenceOptions", "ReferenceSource", "reference_type"),
    "rows": ("row_texts",),
    "samples": ("Filled", "Sample", "Typed"),
}


def __getattr__(name: str) -> object:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
