"""What a runner sees of the source while it plans units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.protocols import ChangeSource
from rivet_core.requests import Budget, Intent, ReadRequest, Unit

if TYPE_CHECKING:
    from datetime import datetime

    from rivet_core.planning import Plan
    from rivet_core.protocols import Source
    from rivet_core.requests import Keys
    from rivet_core.schema import Bounds, Key
    from rivet_core.types import Position, Relation

#: A part is larger than it should be by less than one of so many batches, unless that would make them tiny.
_BATCHES_OF_A_PART: Final = 8
_SMALLEST_BATCH: Final = 64 * 1024


def budget_of(intent: Intent) -> Budget:
    """Return how large the batches of a read should be.

    Never larger than the largest that is wanted, and well below the size of a part, which ends with a batch.
    """
    budget = intent.tuning.budget
    most = min(budget.bytes, max(_SMALLEST_BATCH, intent.part_bytes // _BATCHES_OF_A_PART))
    if intent.tuning.max_batch_bytes is not None:
        most = min(most, intent.tuning.max_batch_bytes)
    return attrs.evolve(budget, bytes=most)


def tuned(unit: Unit, intent: Intent, batch_rows: int) -> Unit:
    """Return a unit with the batch size of now: a stored one may have been planned under another tuning."""
    budget = attrs.evolve(budget_of(intent), rows=batch_rows)
    return attrs.evolve(unit, request=attrs.evolve(unit.request, budget=budget))


def base_request(plan: Plan) -> ReadRequest:
    """Return the plain request for the whole export: every row, no order.

    A run with several datasets is one stream, whose datasets fix their own columns.
    """
    budget = budget_of(plan.intent)
    if len(plan.datasets) != 1:
        return ReadRequest(relation=plan.intent.relation, budget=budget)
    dataset = plan.datasets[0]
    return ReadRequest(relation=dataset.relation, columns=dataset.columns, budget=budget)


class SourceReader:
    """The reader of one plan over an open source."""

    def __init__(self, source: Source, plan: Plan) -> None:
        self._source = source
        self._plan = plan
        self.request = base_request(plan)
        self.position: Position | None = plan.position
        self.workers = plan.workers
        self.estimated_rows = plan.estimated_rows

    @property
    def _relation(self) -> Relation:
        return self._plan.datasets[0].relation

    def keys(self) -> tuple[Key, ...]:
        """Return the relation's usable keys."""
        return self._source.keys(self._relation)

    def bounds(self, column: str) -> Bounds | None:
        """Return a column's extremes."""
        return self._source.bounds(self._relation, column)

    def split(self, keys: Keys, n: int) -> tuple[Position, ...]:
        """Return inner borders of about equal shares."""
        return self._source.split(self.request, keys, n)

    def now(self) -> datetime:
        """Return the source's clock."""
        return self._source.now()

    def head(self) -> Position | None:
        """Return a change stream's end, or None."""
        if not self._plan.runner_capabilities.changes or not isinstance(self._source, ChangeSource):
            return None
        return self._source.head()
