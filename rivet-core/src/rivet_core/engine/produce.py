"""The worker's whole side: one attempt at one unit, from the open source to finished parts and restart points.

It records nothing and knows no destination, so it runs on a thread, in another process or on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing

from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.limits import within_limits
from rivet_core.engine.pace import Pace, pace_of
from rivet_core.engine.paging import read_unit
from rivet_core.engine.readahead import read_ahead
from rivet_core.engine.reader import tuned
from rivet_core.engine.sink import Recipe, Sink, UnitTask
from rivet_core.engine.watch import Watch, relation_text
from rivet_core.ledger.finished import Produced
from rivet_core.protocols import Batch, Source

__all__ = ["Recipe", "UnitTask", "produce"]

Progress = Callable[[int, int], None]


def produce(
    source: Source,
    task: UnitTask,
    recipe: Recipe,
    *,
    progress: Progress | None = None,
    pace: Pace | None = None,
    cancelling: Cancelling | None = None,
) -> Generator[Produced, None, None]:
    """Read a unit and yield its finished parts, and restart points behind them; the last one says ``done``.

    Closing the generator cancels the read and removes unfinished files. A yielded part belongs to the caller.

    :param source: open, and used by this alone until the generator is closed; the caller closes it.
    :param progress: called on the caller's thread with the rows and input bytes of each batch that was taken.
    :param pace: for callers whose units share a speed.
    :param cancelling: of the source and the pace, as :func:`cancelling_of` makes it; a caller that has it can tell
        whether the source was given up, and closes it by it.
    :raises Exception: whatever the source raised, for its ``verdict``; everything else is a ``RivetError``.
    """
    sink = Sink(task, recipe)
    pace = pace or pace_of(source, recipe.plan.intent.tuning)
    cancelling = cancelling or cancelling_of(source, pace)
    try:
        with read_ahead(
            lambda: _read(source, task, recipe, pace, cancelling),
            cancelling,
            batches=recipe.ahead_batches,
            size=recipe.ahead_bytes,
        ) as batches:
            for batch in batches:
                yield from sink.write(batch)
                if progress is not None:
                    progress(batch.data.num_rows, batch.data.nbytes)
                del batch
        yield from sink.end()
    finally:
        # After a complete end there is nothing left to remove.
        sink.abort()


def cancelling_of(source: Source, pace: Pace) -> Cancelling:
    """Return what cancels a source, and ends the pauses of its read."""

    def cancel() -> None:
        pace.wake()
        source.cancel()

    return Cancelling(cancel)


def _read(
    source: Source, task: UnitTask, recipe: Recipe, pace: Pace, cancelling: Cancelling
) -> Generator[Batch, None, None]:
    seconds = recipe.plan.intent.tuning.statement_timeout_s
    watch = Watch(seconds, cancelling, relation_text(task.unit.request.relation))
    batches = _unpaced(source, task, recipe, pace.batch_rows, watch)
    with watch, closing(pace.of(batches, watch)) as paced:
        yield from paced


def _unpaced(
    source: Source, task: UnitTask, recipe: Recipe, batch_rows: int, watch: Watch
) -> Generator[Batch, None, None]:
    unit = tuned(task.unit, recipe.plan.intent, batch_rows)
    batches = read_unit(source, unit, task.context, task.mark)
    try:
        for batch in watch.each(batches):
            yield from within_limits(batch, recipe.plan)
            # The source makes the next batch without this one in memory, unless the queue holds it.
            del batch
    finally:
        # Whoever waits for the batches hears of an error only behind this.
        watch.end(batches.close)
