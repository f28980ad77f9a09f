"""Keeps what a run's parts store of unique columns together near one column's bound, however many parts there are.

Each part alone would keep up to the bound. A part keeps only what could still be among the smallest digests of the
whole run, so the sum grows with the logarithm of the number of parts. What is judged does not change.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import attrs

#: So many times the values that wait are merged with all others.
_SHARE = 8

if TYPE_CHECKING:
    from rivet_core.ledger.finished import FinishedPart
    from rivet_core.manifest.distinct import Distinct


class Narrowing:
    """What all parts of a run hold so far; used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: dict[tuple[str, str], _Held] = {}

    def narrowed(self, part: FinishedPart) -> FinishedPart:
        """Return the part with those digests that the run can still need."""
        counters = part.counters
        if not counters.distinct:
            return part
        kept = tuple((column, self._narrowed(part.dataset, column, values)) for column, values in counters.distinct)
        return attrs.evolve(part, counters=attrs.evolve(counters, distinct=kept))

    def _narrowed(self, dataset: str, column: str, values: Distinct) -> Distinct:
        with self._lock:
            held = self._all.setdefault((dataset, column), _Held(values))
            held.add(values)
            return values.narrowed(held.whole.bound)


class _Held:
    """One column's values in all parts so far, but for a few that wait: merging a small part with all takes as long as
    merging a large one. A bound that comes late is only larger than it need be.
    """

    def __init__(self, first: Distinct) -> None:
        self.whole = attrs.evolve(first, digests=b"", bound=None, repeated=0, rows=0)
        self._waiting = self.whole

    def add(self, values: Distinct) -> None:
        """Take a part's values."""
        self._waiting = self._waiting.merge(values)
        if self._waiting.kept * _SHARE >= self.whole.kept:
            self.whole, self._waiting = self.whole.merge(self._waiting), attrs.evolve(self._waiting, digests=b"")
