"""Keeps what a run's parts store of unique columns together near one column's bound, however many parts there are.

Each part alone would keep up to the bound. A part keeps only what could still be among the smallest digests of the
whole run, so the sum grows with the logarithm of the number of parts. What is judged does not change.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from rivet_core.ledger.finished import FinishedPart
    from rivet_core.manifest.distinct import Distinct


class Narrowing:
    """What all parts of a run hold so far; used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: dict[tuple[str, str], Distinct] = {}

    def narrowed(self, part: FinishedPart) -> FinishedPart:
        """Return the part with those digests that the run can still need."""
        counters = part.counters
        if not counters.distinct:
            return part
        kept = tuple((column, self._narrowed(part.dataset, column, values)) for column, values in counters.distinct)
        return attrs.evolve(part, counters=attrs.evolve(counters, distinct=kept))

    def _narrowed(self, dataset: str, column: str, values: Distinct) -> Distinct:
        with self._lock:
            known = self._all.get((dataset, column))
            whole = values if known is None else known.merge(values)
            self._all[dataset, column] = whole
        return values.narrowed(whole.bound)
