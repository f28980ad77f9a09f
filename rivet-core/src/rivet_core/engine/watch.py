"""How long a source may take for one answer: a batch, a count, a fact. It may take no longer than a run goes on.

It is the engine's watch and not the server's limit, which would end a statement that delivers a large relation, batch
after batch, in good time.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self, TypeVar

from rivet_core.errors import EnvironmentFailure, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from rivet_core.protocols import Batch
    from rivet_core.types import Relation

_LOOK_EVERY: Final = 0.2

T = TypeVar("T")


def relation_text(relation: Relation | None) -> str | None:
    """Return a relation as errors name it."""
    return None if relation is None else str(relation)


class Watch:
    """Cancels a source that takes too long, or that nobody waits for; a context manager, in which one thread asks.

    :param seconds: for each answer; 0 for ever.
    :param cancel: the source's, called until the answer has ended: the first may have come before the statement began.
    :param relation: for the error.
    :param stop: set when the answer is no longer wanted; the error is then the source's own.
    """

    def __init__(
        self,
        seconds: float,
        cancel: Callable[[], None],
        relation: str | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self._seconds = seconds
        self._cancel = cancel
        self._relation = relation
        self._stop = stop
        self._lock = threading.Lock()
        self._asked_at: float | None = None
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

    def answer(self, question: Callable[[], T]) -> T:
        """Return the source's answer.

        :raises EnvironmentFailure: ``RIVET_SOURCE_STATEMENT_TIMEOUT`` when it took too long, and was cancelled.
        """
        with self._lock:
            self._asked_at = time.monotonic()
        try:
            given = question()
        except Exception as error:
            if self._ended_late():
                raise self._failure() from error
            raise
        except BaseException:
            self._ended_late()
            raise
        if self._ended_late():
            raise self._failure()
        return given

    def each(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Yield the batches, each of them an answer; the time between them is not the source's."""
        while (batch := self.answer(lambda: next(batches, None))) is not None:
            yield batch
            del batch

    def _ended_late(self) -> bool:
        # A cancel is never on its way after this, so that it hits no later statement.
        with self._lock:
            self._asked_at = None
            return self._late

    @property
    def _watches(self) -> bool:
        return bool(self._seconds) or self._stop is not None

    def _look(self) -> None:
        while not self._over.wait(min(_LOOK_EVERY, self._seconds / 4 or _LOOK_EVERY)):
            with self._lock:
                if self._asked_at is None:
                    continue
                late = bool(self._seconds) and time.monotonic() - self._asked_at >= self._seconds
                if not late and (self._stop is None or not self._stop.is_set()):
                    continue
                self._late |= late
                # Its own failure must not keep it from being called again.
                with suppress(Exception):
                    self._cancel()

    def _failure(self) -> EnvironmentFailure:
        msg = f"the source gave no answer within {self._seconds:g} s"
        return EnvironmentFailure(
            msg,
            code="RIVET_SOURCE_STATEMENT_TIMEOUT",
            place=Place(relation=self._relation),
            remedy="Raise tuning.statement_timeout_s (0: for ever), or lower tuning.batch_size for smaller batches.",
        )
