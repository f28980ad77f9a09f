"""The sink of one attempt at one unit: batches of every dataset go in, finished parts and restart points come out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import attrs

from rivet_core.engine.sink.dataset import DatasetSink
from rivet_core.engine.sink.rolling import Gathered, Step, decide, rules_for
from rivet_core.engine.sink.task import Recipe, UnitTask
from rivet_core.errors import InternalError
from rivet_core.ledger.finished import FinishedPart, Produced, RestartPoint
from rivet_core.protocols import Batch


class Sink:
    """Turns the unit's rows into parts; used by one thread.

    A finished part belongs to whoever it was yielded to; :meth:`abort` removes what was not yielded. The row groups
    that wait in memory hold at most about twice the planned bytes of one, whatever the number of datasets.
    """

    def __init__(self, task: UnitTask, recipe: Recipe) -> None:
        self._task = task
        self._rules = rules_for(task.unit, recipe.plan)
        self._buffer_limit = 2 * recipe.plan.intent.row_group_bytes
        made = recipe.format()
        stem = f"{task.unit.id}-{task.attempt}"
        self._datasets = {dataset.name: DatasetSink(dataset, recipe, made, stem) for dataset in recipe.plan.datasets}
        self._mark = task.mark
        self._pointed = task.mark
        self._rolled_rows = 0
        self._rolled_bytes = 0

    def write(self, batch: Batch) -> Iterator[Produced]:
        """Take a batch and yield what it completed; the iterator must be exhausted before the next call."""
        dataset = self._datasets.get(batch.dataset)
        if dataset is None:
            known = ", ".join(repr(name) for name in self._datasets)
            msg = f"the source delivered rows of the dataset {batch.dataset!r}, and the plan has {known}"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        rows, size = dataset.add(batch)
        self._rolled_rows += rows
        self._rolled_bytes += size
        self._bound_buffers()
        if batch.mark is not None:
            self._mark = batch.mark
            if not self._rules.marked:
                self._rules = attrs.evolve(self._rules, marked=True)
        yield from self._take(decide(self._rules, self._gathered(), at_mark=batch.mark is not None))

    def end(self) -> Iterator[Produced]:
        """Yield the rest of a completely read unit; a dataset without rows yields no part."""
        yield from self._close(at_least=0)
        yield RestartPoint(mark=self._mark, done=True)

    def abort(self) -> None:
        """Remove every unfinished file; safe to call again, and after the end."""
        with ExitStack() as stack:
            for dataset in self._datasets.values():
                stack.callback(dataset.abort)

    def _take(self, step: Step) -> Iterator[Produced]:
        match step:
            case Step.GO_ON:
                return
            case Step.CLOSE:
                yield from self._close(at_least=self._rules.part_bytes or 0)
            case Step.POINT:
                yield from self._close(at_least=0)
                if self._mark != self._pointed:
                    self._pointed = self._mark
                    yield RestartPoint(mark=self._mark)
            case Step.ROLL:
                yield from self._close(at_least=0)
                self._pointed = self._mark
                self._rolled_rows = self._rolled_bytes = 0
                yield RestartPoint(mark=self._mark, roll=True)

    def _close(self, *, at_least: int) -> Iterator[FinishedPart]:
        for dataset in self._datasets.values():
            if dataset.rows and dataset.bytes >= at_least:
                yield dataset.finish()

    def _gathered(self) -> Gathered:
        opened = [dataset.bytes for dataset in self._datasets.values() if dataset.rows]
        return Gathered(
            open=bool(opened), largest=max(opened, default=0), rows=self._rolled_rows, bytes=self._rolled_bytes
        )

    def _bound_buffers(self) -> None:
        # A stream may feed hundreds of tables, each of which would wait for a row group of its own.
        while sum(dataset.buffered for dataset in self._datasets.values()) > self._buffer_limit:
            max(self._datasets.values(), key=lambda dataset: dataset.buffered).flush()


def empty_part(recipe: Recipe, dataset: str = "") -> FinishedPart:
    """Return a typed file without rows, for a whole relation that has none.

    :raises InternalError: when the plan has no such dataset.
    """
    planned = recipe.plan.dataset(dataset)
    if planned is None:
        msg = f"the plan has no dataset {dataset!r}"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    return DatasetSink(planned, recipe, recipe.format(), "empty").finish_empty()
