"""Keeps what a run's parts store of unique columns together near one column's bound, however many parts there are.

Each part alone would keep up to the bound. A part keeps only what could still be among the smallest digests of the
whole run, so the sum grows with the logarithm of the number of parts. What is judged does not change.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.manifest.distinct import Distinct

if TYPE_CHECKING:
    from rivet_core.ledger.finished import FinishedPart

#: Values wait until they are this share of all others.
_SHARE: Final = 1 / 8


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
            held = self._all.setdefault((dataset, column), _Held(values.most))
            held.add(values)
            return values.narrowed(held.whole.bound)


class _Held:
    """One column's values in the parts so far, but for a few that wait.

    Merging a small part with all others takes as long as merging a large one, and a bound that comes late is only
    larger than it need be.
    """

    def __init__(self, most: int) -> None:
        self.whole = self._waiting = Distinct(most=most)

    def add(self, values: Distinct) -> None:
        """Take a part's values."""
        self._waiting = self._waiting.merge(values)
        if self._waiting.kept >= _SHARE * self.whole.kept:
            self.whole, self._waiting = self.whole.merge(self._waiting), Distinct(most=values.most)
