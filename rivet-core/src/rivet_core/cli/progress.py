"""What is shown while exports run: a display that redraws itself on a terminal, single lines elsewhere."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.cli.printing import tell
from rivet_core.engine.report_text import bytes_text, count_text
from rivet_core.events import RetryScheduled, RowsRead, RunClosed, RunOpened, UnitDone, UnitFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rivet_core.cli.invocation import Invocation
    from rivet_core.events import Event

#: Seconds between two lines about one export where nothing can be redrawn.
EVERY_SECONDS: Final = 5.0


@contextmanager
def showing(invocation: Invocation) -> Iterator[Callable[[Event], None]]:
    """Show the progress of exports for the length of the block.

    :yields: takes every event, from any thread.
    """
    if invocation.quiet or invocation.json_errors:
        yield _nothing
    elif invocation.on_terminal():
        from rivet_core.cli.display import display

        with display(color=invocation.color) as observe:
            yield observe
    else:
        yield Lines(tell)


def _nothing(event: Event) -> None:
    del event


@attrs.define
class _Rate:
    began: float
    told: float
    rows: int = 0
    size: int = 0
    estimated: int | None = None


class Lines:
    """Tells progress in single lines.

    :param write: prints a line.
    :param clock: seconds that only grow.
    """

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._lock = threading.Lock()
        self._rates: dict[str, _Rate] = {}

    def __call__(self, event: Event) -> None:
        """Take an event."""
        with self._lock:
            line = self._line(event)
        if line is not None:
            self._write(f"{event.export}: {line}")

    def _line(self, event: Event) -> str | None:
        now = self._clock()
        match event:
            case RunOpened():
                self._rates[event.export] = _Rate(now, now, estimated=event.estimated_rows)
                about = "" if event.estimated_rows is None else f", about {count_text(event.estimated_rows, 'row')}"
                verb = "resumed" if event.resumed else "opened"
                return f"run {event.run_id} {verb}: {event.runner}, {count_text(event.units, 'unit')}{about}"
            case RowsRead():
                rate = self._rates.setdefault(event.export, _Rate(now, now))
                rate.rows += event.rows
                rate.size += event.bytes
                if now - rate.told < EVERY_SECONDS:
                    return None
                rate.told = now
                share = f" ({min(100, 100 * rate.rows // rate.estimated)} %)" if rate.estimated else ""
                speed = count_text(round(rate.rows / (now - rate.began)), "row")
                return f"{count_text(rate.rows, 'row')}{share}, {speed}/s, {bytes_text(rate.size)} read"
            case _:
                return notice(event)


def notice(event: Event) -> str | None:
    """Return what is worth a line of its own wherever progress is shown, or None."""
    match event:
        case RetryScheduled():
            return (
                f"unit {event.unit}, attempt {event.attempt} failed, the next in {event.wait_seconds:.1f} s: "
                f"{event.error}"
            )
        case UnitFailed():
            # The error itself is told once, when the run has ended.
            return f"unit {event.unit} failed"
        case RunClosed():
            return f"{event.status} after {event.seconds:.1f} s, {count_text(event.rows, 'row')}"
        case UnitDone():
            return None
        case _:
            return None
