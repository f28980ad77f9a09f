"""Where units are read: in this process by default, elsewhere by an executor. Commits stay with one coordinator."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

import attrs

from rivet_core.engine.adaptation import Adaptation
from rivet_core.engine.bugs import bug, is_bug
from rivet_core.engine.pace import pace_of
from rivet_core.engine.produce import cancelling_of, produce
from rivet_core.errors import RivetError, SnapshotGone
from rivet_core.types import Verdict, told

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from contextlib import AbstractContextManager

    from rivet_core.engine.cancelling import Cancelling
    from rivet_core.engine.pace import Pace
    from rivet_core.engine.produce import Progress
    from rivet_core.engine.sink import Recipe, UnitTask
    from rivet_core.ledger.finished import Produced
    from rivet_core.protocols import Source


class ProductionFailed(Exception):
    """Reading or encoding a unit failed.

    :param verdict: whether another attempt can help, as the source says.
    """

    def __init__(self, error: BaseException, verdict: Verdict) -> None:
        super().__init__(str(error))
        self.error = error
        self.verdict = verdict


class Producer(Protocol):
    """Reads units; used by several threads at a time."""

    def produce(self, task: UnitTask, progress: Progress) -> AbstractContextManager[Iterator[Produced]]:
        """Produce one attempt at a unit; leaving the block early cancels it.

        :raises ProductionFailed: out of the iterator, for whatever went wrong.
        """

    def cancel(self) -> None:
        """End every read that is blocked, from any thread."""

    def close(self) -> None:
        """Close everything."""


@attrs.frozen(kw_only=True)
class ProducerNeeds:
    """What a producer is made of; all of it pickles.

    :param open_source: makes a new source.
    """

    open_source: Callable[[], Source]
    recipe: Recipe


MakeProducer = Callable[[ProducerNeeds], Producer]


def failure(source: Source, error: BaseException) -> ProductionFailed:
    """Return an error with its verdict; errors of rivet's own are final unless they say that waiting helps.

    What the source does not know, and can only be a bug, becomes an error that says so.
    """
    if isinstance(error, RivetError):
        # Here and not where it is told, since the error may travel there from another process.
        error = told(error)
    if isinstance(error, SnapshotGone):
        return ProductionFailed(error, Verdict.FATAL)
    verdict = source.verdict(error)
    if verdict is Verdict.FATAL and is_bug(error):
        return ProductionFailed(bug(error), verdict)
    if isinstance(error, RivetError) and not getattr(error, "transient", False) and verdict is not Verdict.CONFIG:
        verdict = Verdict.FATAL
    return ProductionFailed(error, verdict)


class LocalProducer:
    """Reads units in this process, each attempt on a source of its own."""

    def __init__(self, needs: ProducerNeeds) -> None:
        self._needs = needs
        self._adaptation = Adaptation(needs.recipe.plan.intent.tuning)
        self._open: set[Cancelling] = set()
        self._lock = threading.Lock()

    @contextmanager
    def produce(self, task: UnitTask, progress: Progress) -> Iterator[Iterator[Produced]]:
        """Produce one attempt; the source is closed with the block."""
        source = self._needs.open_source()
        pace = pace_of(source, self._needs.recipe.plan.intent.tuning, self._adaptation)
        cancelling = cancelling_of(source, pace)
        with self._lock:
            self._open.add(cancelling)
        produced = self._guarded(source, task, progress, pace, cancelling)
        try:
            try:
                yield produced
            except Exception:
                # What the block was left for is the error that a person needs.
                with suppress(Exception):
                    produced.close()
                raise
            finally:
                produced.close()
        finally:
            with self._lock:
                self._open.discard(cancelling)
            cancelling.close(source.close)

    def _guarded(
        self, source: Source, task: UnitTask, progress: Progress, pace: Pace, cancelling: Cancelling
    ) -> Generator[Produced]:
        try:
            yield from produce(source, task, self._needs.recipe, progress=progress, pace=pace, cancelling=cancelling)
        except Exception as error:
            raise failure(source, error) from error

    def cancel(self) -> None:
        """Cancel every open source."""
        with self._lock:
            opened = list(self._open)
        for cancelling in opened:
            cancelling.insist()

    def close(self) -> None:
        """Nothing is kept open between attempts."""
