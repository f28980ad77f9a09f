"""How fast a source is read: pauses between batches, for the source's sake and for this machine's memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import structlog

from rivet_core.engine.adaptation import Adaptation, AskPressure
from rivet_core.engine.resident import resident_bytes
from rivet_core.protocols import PressureSource

if TYPE_CHECKING:
    from rivet_core.engine.watch import Watch
    from rivet_core.protocols import Batch, Source
    from rivet_core.requests import Tuning

log = structlog.get_logger("rivet.engine")

_MIB: Final = 1024 * 1024
_LOOK_EVERY: Final = 0.1
#: A pause for the sake of a server under pressure is never longer.
_LONGEST_PAUSE: Final = 10.0


class Pace:
    """The pauses of one read; all but :meth:`wake` belongs to the thread that reads.

    :param adaptation: the run's speed, shared with its other reads; None for one of this read's own.
    :param pressure: asks the source, which is open; None where it cannot tell.
    :param resident: the process's memory in bytes, or None where it is not known.
    :param patience: seconds that a pause for memory may take. One that did not help is the last one until the memory
        was below its threshold again: it may be held by something that no pause frees.
    """

    def __init__(
        self,
        tuning: Tuning,
        *,
        adaptation: Adaptation | None = None,
        pressure: AskPressure | None = None,
        resident: Callable[[], int | None] = resident_bytes,
        patience: float = 5.0,
    ) -> None:
        self._adaptation = adaptation or Adaptation(tuning)
        self._pressure = pressure
        self._throttle_seconds = tuning.throttle_ms / 1000
        self._batch_rows = max(1, tuning.budget.rows)
        self._threshold = tuning.memory_threshold_mb * _MIB
        self._resident = resident
        self._patience = patience
        self._awake = threading.Event()
        self._hopeless = False

    def of(self, batches: Generator[Batch, None, None], watch: Watch | None = None) -> Generator[Batch, None, None]:
        """Yield the batches with pauses between them; closing it closes the read.

        :param watch: of the read; a question for the source's pressure is an answer like a batch, and has its time.
        """
        with closing(batches):
            began = time.monotonic()
            for batch in batches:
                rows = batch.data.num_rows
                yield batch
                del batch
                self._give_way(time.monotonic() - began, watch)
                self._throttle(rows)
                self._spare_memory()
                began = time.monotonic()

    @property
    def batch_rows(self) -> int:
        """The rows of a batch that a statement should ask for now."""
        return self._adaptation.rows

    def wake(self) -> None:
        """End the pause and have no other one, from any thread: the read is being cancelled."""
        self._awake.set()

    def _give_way(self, worked_seconds: float, watch: Watch | None) -> None:
        """Pause in proportion to the time that a batch took, while the server is under pressure."""
        if self._pressure is None:
            return
        self._adaptation.after_batch(self._pressure, watch)
        if slowdown := self._adaptation.slowdown:
            self._awake.wait(min(_LONGEST_PAUSE, worked_seconds * slowdown))

    def _throttle(self, rows: int) -> None:
        """Pause as long as the batch's share of a full one, and never longer than for a full one."""
        if self._throttle_seconds:
            self._awake.wait(self._throttle_seconds * min(1.0, rows / self._batch_rows))

    def _spare_memory(self) -> None:
        if not self._threshold or not self._above():
            self._hopeless = False
            return
        if self._hopeless:
            return
        pa.default_memory_pool().release_unused()
        began = time.monotonic()
        while self._above():
            left = began + self._patience - time.monotonic()
            if left <= 0:
                self._hopeless = True
                log.warning("memory_stays_high", threshold_mb=self._threshold // _MIB, waited_seconds=self._patience)
                return
            if self._awake.wait(min(_LOOK_EVERY, left)):
                return
        log.info("memory_pause_ended", seconds=round(time.monotonic() - began, 3))

    def _above(self) -> bool:
        resident = self._resident()
        return resident is not None and resident > self._threshold


def pace_of(source: Source, tuning: Tuning, adaptation: Adaptation | None = None) -> Pace:
    """Return the pace of reads of one source."""
    pressure = source.pressure if isinstance(source, PressureSource) else None
    return Pace(tuning, adaptation=adaptation, pressure=pressure)
