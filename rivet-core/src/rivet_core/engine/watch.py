"""How long a source may take for one answer: a batch, a count, a fact, its pressure. None lasts for ever.

It is the engine's watch and not the server's limit, which would end a statement that delivers a large relation, batch
after batch, in good time.
"""

from __future__ import annotations

import threading
import time
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, Self, TypeVar

from rivet_core.engine.cancelling import CANCEL_PATIENCE
from rivet_core.errors import EnvironmentFailure, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from rivet_core.engine.cancelling import Cancelling
    from rivet_core.protocols import Batch
    from rivet_core.types import Relation

_LOOK_EVERY: Final = 0.2
#: Seconds that an answer, and the cancel of it, may still take after the limit; then the source is given up.
_PATIENCE: Final = 10.0

T = TypeVar("T")


def relation_text(relation: Relation | None) -> str | None:
    """Return a relation as errors name it."""
    return None if relation is None else str(relation)


class Watch:
    """Cancels a source that takes too long, or that nobody waits for; a context manager, in which one thread asks.

    :param seconds: for each answer; 0 for ever.
    :param cancelling: of the source, asked until the answer has ended: the first may come before the statement begins.
        Never on a thread that anybody waits for.
    :param relation: for the error.
    :param stop: set when the answer is no longer wanted; the error is then the source's own.
    :param patience: seconds after which a source that was cancelled in vain is given up.
    """

    def __init__(
        self,
        seconds: float,
        cancelling: Cancelling,
        relation: str | None = None,
        stop: threading.Event | None = None,
        *,
        patience: float | None = None,
    ) -> None:
        self._seconds = seconds
        self._cancelling = cancelling
        self._patience = _PATIENCE if patience is None else patience
        self._unwanted_at: float | None = None
        self._relation = relation
        self._stop = stop
        self._lock = threading.Lock()
        self._asked_at: float | None = None
        self._asked = ""
        self._late = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="rivet-watch", daemon=True)

    def __enter__(self) -> Self:
        if self._watches:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._watches:
            self._thread.join()

    def answer(self, question: Callable[[], T], asked: str = "") -> T:
        """Return the source's answer.

        :param asked: for the error, as in ``to the question for ...``; a batch has no words of its own.
        :raises EnvironmentFailure: ``RIVET_SOURCE_STATEMENT_TIMEOUT`` when it took too long, and was cancelled.
        """
        with self._lock:
            self._asked_at, self._unwanted_at = time.monotonic(), None
            self._asked = f" {asked}" if asked else ""
        try:
            given = question()
        except Exception as error:
            if self._ended_late():
                raise self._failure() from error
            self._settle()
            raise
        except BaseException:
            self._ended_late()
            raise
        if self._ended_late():
            raise self._failure()
        self._settle()
        return given

    def answer_apart(self, question: Callable[[], T]) -> T:
        """Return the source's answer, got on a thread of its own, which is left behind when the source is given up.

        :raises EnvironmentFailure: as :meth:`answer`.
        """
        given: list[T] = []
        errors: list[BaseException] = []
        over = threading.Event()

        def get() -> None:
            try:
                given.append(self.answer(question))
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                errors.append(error)
            finally:
                over.set()

        thread = threading.Thread(target=copy_context().run, args=(get,), name="rivet-ask", daemon=True)
        self._cancelling.on_give_up(lambda _: over.set())
        thread.start()
        try:
            over.wait()
        except BaseException:
            # The source must not be closed under it.
            self._cancelling.ask()
            thread.join(self._patience)
            if thread.is_alive():
                self._cancelling.leave(thread)
            raise
        if errors:
            raise errors[0]
        if given:
            return given[0]
        self._cancelling.leave(thread)
        raise self._cancelling.given_up or self._failure()

    def each(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield the batches, each of them an answer; the time between them is not the source's."""
        while (batch := self.answer(lambda: next(batches, None))) is not None:
            yield batch
            del batch

    def end(self, close: Callable[[], None]) -> None:
        """Close what was read; a close that outlasts its time and all patience has the source given up."""
        with self._lock:
            self._asked_at, self._unwanted_at = time.monotonic(), None
        try:
            close()
        finally:
            with self._lock:
                self._asked_at = None
        self._settle()

    def _ended_late(self) -> bool:
        # No cancel begins after this.
        with self._lock:
            self._asked_at = None
            late = self._late
        if late:
            self._settle()
        return late

    def _settle(self) -> None:
        """Wait for a cancel that is on its way, so that it hits no later statement; one that stays ends the source."""
        if not self._cancelling.settle(self._patience):
            error = self._failure()
            self._cancelling.give_up(error)
            raise error

    @property
    def _watches(self) -> bool:
        return bool(self._seconds) or self._stop is not None

    def _look(self) -> None:
        while not self._over.wait(min(_LOOK_EVERY, self._seconds / 4 or _LOOK_EVERY)):
            with self._lock:
                if self._asked_at is None:
                    continue
                now = time.monotonic()
                late = bool(self._seconds) and now - self._asked_at >= self._seconds
                if not late and (self._stop is None or not self._stop.is_set()):
                    continue
                self._late |= late
                if self._unwanted_at is None:
                    self._unwanted_at = now
                # Who was asked to stop waits no longer for a server that takes no cancel.
                stuck = not late and self._cancelling.stuck(CANCEL_PATIENCE)
                hopeless = stuck or now - self._unwanted_at >= self._patience
                if not hopeless:
                    self._cancelling.ask()
            if hopeless:
                self._cancelling.give_up(self._failure())
                return

    def _failure(self) -> EnvironmentFailure:
        msg = f"the source gave no answer{self._asked} within {self._seconds:g} s"
        if not self._late:
            msg = f"the source gave no answer{self._asked} within {self._patience:g} s after it was cancelled"
        return EnvironmentFailure(
            msg,
            code="RIVET_SOURCE_STATEMENT_TIMEOUT",
            place=Place(relation=self._relation),
            remedy="Raise tuning.statement_timeout_s (0: for ever), or lower tuning.batch_size for smaller batches.",
        )
