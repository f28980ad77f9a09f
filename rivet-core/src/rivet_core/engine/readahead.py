"""Reading beside encoding: batches are read on a thread of their own, a bounded number of them ahead."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from contextvars import copy_context
from typing import Final

from rivet_core.engine.cancelling import CANCEL_PATIENCE, PATIENCE, Cancelling, silent
from rivet_core.errors import InternalError, RivetError
from rivet_core.protocols import Batch

#: Between two cancels of a read that does not end: the first may have come before the statement began.
_CANCEL_EVERY: Final = 0.2


@contextmanager
def read_ahead(
    opened: Callable[[], Generator[Batch, None, None]],
    cancelling: Cancelling,
    *,
    batches: int,
    size: int,
    patience: float = PATIENCE,
    cancel_patience: float = CANCEL_PATIENCE,
) -> Iterator[Iterator[Batch]]:
    """Yield the batches of an iterator that another thread makes, reads and closes.

    Leaving the block early cancels the read and waits until the thread has closed it.

    :param opened: makes the iterator, a generator; called on the reading thread.
    :param cancelling: ends a blocked read. When its source is given up the
        batches end with the error, and the thread is left to the process's end.
    :param batches: at most so many wait.
    :param size: at most so many bytes wait, or one batch that is larger.
    :param patience: seconds that a cancelled read may take to end.
    :raises InternalError: ``RIVET_INTERNAL_CONTRACT`` when it takes longer and the block was left without an error; the
        thread is left to the process's end.
    :raises EnvironmentFailure: ``RIVET_SOURCE_STATEMENT_TIMEOUT`` likewise, when the cancel does not even return.
    """
    channel = _Channel(batches, size)
    cancelling.on_give_up(channel.end)
    context = copy_context()
    thread = threading.Thread(target=context.run, args=(_fill, channel, opened), name="rivet-read", daemon=True)
    thread.start()
    failed = False
    try:
        yield channel.drain()
    except Exception:
        failed = True
        raise
    finally:
        channel.stop()
        # What the block was left for is the error that a person needs.
        with suppress(RivetError) if failed else nullcontext():
            _end(thread, channel, cancelling, patience, cancel_patience)


def _fill(channel: _Channel, opened: Callable[[], Generator[Batch, None, None]]) -> None:
    try:
        with closing(opened()) as batches:
            for batch in batches:
                if not channel.put(batch):
                    break
                # The queue's bound counts only what the queue holds.
                del batch
    except BaseException as error:  # noqa: BLE001 - it is raised again on the consumer's thread
        channel.end(error)
    else:
        channel.end(None)


def _end(
    thread: threading.Thread, channel: _Channel, cancelling: Cancelling, patience: float, cancel_patience: float
) -> None:
    give_up = time.monotonic() + patience
    while thread.is_alive():
        if cancelling.given_up is None and cancelling.stuck(cancel_patience):
            cancelling.give_up(silent(cancel_patience))
        if cancelling.given_up is not None:
            cancelling.leave(thread)
            raise cancelling.given_up
        if not channel.ended:
            cancelling.ask()
        thread.join(_CANCEL_EVERY)
        if time.monotonic() > give_up and thread.is_alive():
            msg = f"a read did not end within {patience:g} s after it was cancelled"
            error = InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
            cancelling.give_up(error)
            cancelling.leave(thread)
            raise error


class _Channel:
    """A queue of batches between two threads, bounded by count and bytes."""

    def __init__(self, batches: int, size: int) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[Batch] = deque()
        self._bytes = 0
        self._limits = (batches, size)
        self._stopped = False
        self._error: BaseException | None = None
        self.ended = False

    def put(self, batch: Batch) -> bool:
        """Wait for room and add a batch; False when nobody wants it any more."""
        size = batch.data.nbytes
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._has_room(size))
            if self._stopped:
                return False
            self._waiting.append(batch)
            self._bytes += size
            self._changed.notify_all()
        return True

    def end(self, error: BaseException | None) -> None:
        """Say that no batch follows, or why; what is said first counts."""
        with self._changed:
            if self.ended:
                return
            self._error = error
            self.ended = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Say that no batch is wanted any more."""
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify_all()

    def drain(self) -> Iterator[Batch]:
        """Yield every batch, then raise what the reading ended with."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self.ended)
                if not self._waiting:
                    break
                batch = self._waiting.popleft()
                self._bytes -= batch.data.nbytes
                self._changed.notify_all()
            yield batch
            del batch
        if self._error is not None:
            raise self._error

    def _has_room(self, size: int) -> bool:
        batches, limit = self._limits
        return not self._waiting or (len(self._waiting) < batches and self._bytes + size <= limit)
