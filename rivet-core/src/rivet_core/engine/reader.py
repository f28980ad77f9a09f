"""What a runner sees of the source while it plans units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.protocols import ChangeSource
from rivet_core.requests import Budget, ReadRequest, Tuning, Unit

if TYPE_CHECKING:
    from datetime import datetime

    from rivet_core.planning import Plan
    from rivet_core.protocols import Source
    from rivet_core.requests import Keys
    from rivet_core.schema import Bounds, Key
    from rivet_core.types import Position, Relation


def budget_of(tuning: Tuning) -> Budget:
    """Return how large the batches of a read should be: never larger than the largest that is wanted."""
    budget = tuning.budget
    if tuning.max_batch_bytes is None:
        return budget
    return attrs.evolve(budget, bytes=min(budget.bytes, tuning.max_batch_bytes))


def tuned(unit: Unit, tuning: Tuning, batch_rows: int) -> Unit:
    """Return a unit with the batch size of now: a stored one may have been planned under another tuning."""
    budget = attrs.evolve(budget_of(tuning), rows=batch_rows)
    return attrs.evolve(unit, request=attrs.evolve(unit.request, budget=budget))


def base_request(plan: Plan) -> ReadRequest:
    """Return the plain request for the whole export: every row, no order.

    A run with several datasets is one stream, whose datasets fix their own columns.
    """
    budget = budget_of(plan.intent.tuning)
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
