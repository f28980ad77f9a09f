"""How a run gives way to others while its source's server is under pressure, and takes up speed again.

One count of rows stands for its speed: what a batch is allowed to hold. Every batch is followed by a pause that lowers
the speed to the share that this count is of the configured one. Units that begin then also ask for batches of that
size; the pages of a unit keep the size of its beginning. Workers stay as many as they are.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import attrs
import structlog

if TYPE_CHECKING:
    from rivet_core.engine.watch import Watch
    from rivet_core.requests import Tuning

log = structlog.get_logger("rivet.engine")

AskPressure = Callable[[], int | None]

#: The server is asked before the first batch ends and after each so many batches of the run.
_LOOK_EVERY: Final = 10
#: No pressure makes batches smaller than this.
_FEWEST_ROWS: Final = 500
#: A server that was under pressure is spared for so long after the last sign of it, which may be rare events.
_CALM_SECONDS: Final = 30.0
#: After so many questions in a row without an answer, nobody asks again.
_QUESTIONS_IN_VAIN: Final = 3


def next_rows(rows: int, configured: int, *, pressed: bool) -> int:
    """Return the rows of the next batches: three quarters under pressure, and five quarters without it."""
    if pressed:
        return min(configured, max(_FEWEST_ROWS, rows * 3 // 4))
    return min(configured, max(rows * 5 // 4, rows + 1))


@attrs.frozen(kw_only=True)
class Pressure:
    """What is known of the server.

    :param count: its last answer, or None before the first one.
    :param pressed_at: when the count was last seen to grow, or None.
    :param unanswered: questions in a row without an answer.
    """

    count: int | None = None
    pressed_at: float | None = None
    unanswered: int = 0

    def after(self, count: int | None, now: float) -> Pressure:
        """Return what is known after an answer; one that fell belongs to counters that were set back."""
        if count is None:
            return attrs.evolve(self, unanswered=self.unanswered + 1)
        grew = self.count is not None and count > self.count
        return Pressure(count=count, pressed_at=now if grew else self.pressed_at)

    def pressed(self, now: float, calm_seconds: float) -> bool:
        """Whether the server is to be spared."""
        return self.pressed_at is not None and now - self.pressed_at < calm_seconds

    @property
    def blind(self) -> bool:
        """Whether asking is of no use; reading then goes on at full speed."""
        return self.unanswered >= _QUESTIONS_IN_VAIN


class Adaptation:
    """The speed of one run, shared by the threads that read its units.

    :param clock: seconds that never go back.
    """

    def __init__(
        self, tuning: Tuning, *, clock: Callable[[], float] = time.monotonic, calm_seconds: float = _CALM_SECONDS
    ) -> None:
        self._wanted = tuning.adaptive
        self._configured = max(1, tuning.budget.rows)
        self._clock = clock
        self._calm_seconds = calm_seconds
        self._lock = threading.Lock()
        self._batches = 0
        self._known = Pressure()
        self.rows = self._configured

    @property
    def slowdown(self) -> float:
        """The pause behind each batch, as a share of the time that the batch took: 0 at full speed, 1 at half of it."""
        return self._configured / self.rows - 1

    def after_batch(self, ask: AskPressure, watch: Watch | None = None) -> None:
        """Count a batch, and look at the server when it is time.

        :param ask: the source's :meth:`~rivet_core.protocols.PressureSource.pressure`; what it raises is no answer.
        :param watch: of the read that the batch is of.
        :raises EnvironmentFailure: the watch's ``RIVET_SOURCE_STATEMENT_TIMEOUT``: its cancel ended the read, too.
        """
        if not self._wanted:
            return
        with self._lock:
            self._batches += 1
            if self._batches % _LOOK_EVERY != 1 or self._known.blind:
                return
        question = partial(_answer, ask)
        count = question() if watch is None else watch.answer(question, "to the question for its server's pressure")
        with self._lock:
            self._learn(count, self._clock())

    def _learn(self, count: int | None, now: float) -> None:
        before, rows = self._known, self.rows
        self._known = before.after(count, now)
        pressed = not self._known.blind and self._known.pressed(now, self._calm_seconds)
        self.rows = self._configured if self._known.blind else next_rows(rows, self._configured, pressed=pressed)
        if self._known.blind:
            log.warning("source_pressure_unknown", answered_before=before.count is not None)
        elif rows == self._configured > self.rows:
            log.warning("source_under_pressure", batch_rows=self.rows)
        elif rows < self._configured == self.rows:
            log.info("source_at_ease", batch_rows=self.rows)


def _answer(ask: AskPressure) -> int | None:
    try:
        return ask()
    except Exception as error:  # noqa: BLE001 - whatever it is, the export does not depend on it
        log.debug("source_pressure_failed", error=type(error).__name__)
        return None
