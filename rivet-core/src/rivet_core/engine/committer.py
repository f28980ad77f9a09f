"""Uploads and records a unit's parts on a thread of its own, in order, behind a short queue.

Encoding the next part runs beside the upload of the last one. The queue is short because every waiting part is a file.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Self

from rivet_core.ledger.finished import FinishedPart, RestartPoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from rivet_core.ledger.finished import Produced
    from rivet_core.ledger.unit import Delivered, UnitLedger

_WAITING_PARTS = 2


class Committer:
    """Feeds one :class:`UnitLedger`; leaving the block without an error waits until everything is recorded.

    :param recorded: called with the parts of each restart point, after it is durable.
    """

    def __init__(self, ledger: UnitLedger, recorded: Callable[[RestartPoint, tuple[Delivered, ...]], None]) -> None:
        self._ledger = ledger
        self._recorded = recorded
        self._queue: queue.Queue[Produced | None] = queue.Queue(maxsize=_WAITING_PARTS)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name=f"commit-{ledger.unit_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What is queued belongs to restart points that were reached, or is an orphan that the next attempt moves aside.
        self._queue.put(None)
        self._thread.join()
        if error is None:
            self._raise()

    def submit(self, produced: Produced) -> None:
        """Queue a part or a restart point.

        :raises BaseException: what an earlier one ran into.
        """
        self._raise()
        self._queue.put(produced)

    def drain(self) -> None:
        """Wait until everything submitted is durable and recorded."""
        self._queue.join()
        self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        while True:
            produced = self._queue.get()
            try:
                if produced is None:
                    return
                # After an error the queue is emptied without effect, so that nobody waits for it.
                if self._error is None:
                    self._commit(produced)
                elif isinstance(produced, FinishedPart):
                    produced.path.unlink(missing_ok=True)
            except BaseException as error:  # noqa: BLE001 - it travels to the producing thread
                self._error = self._error or error
            finally:
                self._queue.task_done()

    def _commit(self, produced: Produced) -> None:
        if isinstance(produced, FinishedPart):
            try:
                self._ledger.deliver(produced)
            except BaseException:
                produced.path.unlink(missing_ok=True)
                raise
        else:
            self._recorded(produced, self._ledger.record(produced))
