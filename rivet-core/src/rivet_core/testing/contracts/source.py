"""The contract of a source."""

from __future__ import annotations

from rivet_core.testing.contracts.source_describe import SourceDescription
from rivet_core.testing.contracts.source_life import SourceLife
from rivet_core.testing.contracts.source_ordered import SourceOrder
from rivet_core.testing.contracts.source_read import SourceReading
from rivet_core.testing.contracts.source_snapshot import SourceSnapshots


class SourceContract(SourceSnapshots, SourceOrder, SourceReading, SourceDescription, SourceLife, sealed=True):
    """What the engine relies on in every source; an author gives ``options``, ``fill`` and ``typed``, and what applies.

    ``declaration`` names the plugin, ``fill`` makes the samples' tables, ``typed`` a table of every type; ``query``,
    ``insert``, ``kill``, ``wrong_options`` with ``secrets``, and ``endless`` are given where there is such a thing.
    """
