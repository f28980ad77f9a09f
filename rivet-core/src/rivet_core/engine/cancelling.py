"""Cancels a source without waiting for it, and says when a source is given up: a server may answer not even that.

What is given up goes on by itself, on threads that end with the process; its source is closed behind them.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rivet_core.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds after which a cancel that does not return tells that the server has gone silent.
CANCEL_PATIENCE: Final = 5.0
#: Seconds that what is cancelled again and again may take to end.
PATIENCE: Final = 60.0


class Cancelling:
    """The cancels of one source, each on a thread of its own and one at a time; used from any thread.

    :param cancel: the source's; it may block, and may be called several times.
    """

    def __init__(self, cancel: Callable[[], None]) -> None:
        self._cancel = cancel
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._begun_at: float | None = None
        self._insisted_at: float | None = None
        self._listeners: list[Callable[[BaseException], None]] = []
        self._left: list[threading.Thread] = []
        #: Why nobody waits for the source any more, or None.
        self.given_up: BaseException | None = None

    def ask(self) -> None:
        """Cancel the source, unless a cancel is on its way; returns at once."""
        with self._lock:
            if self._begun_at is not None:
                return
            self._begun_at = time.monotonic()
            self._idle.clear()
        # A daemon: it must not keep a stopped process alive.
        threading.Thread(target=self._call, name="rivet-cancel", daemon=True).start()

    def insist(self, *, cancel_patience: float = CANCEL_PATIENCE, patience: float = PATIENCE) -> None:
        """Cancel the source for somebody who does so until it has ended; give it up when that is in vain."""
        with self._lock:
            if self._insisted_at is None:
                self._insisted_at = time.monotonic()
            in_vain = time.monotonic() - self._insisted_at >= patience
        if in_vain or self.stuck(cancel_patience):
            self.give_up(silent(patience if in_vain else cancel_patience))
        else:
            self.ask()

    def settle(self, seconds: float) -> bool:
        """Wait until no cancel is on its way; False when one still is."""
        return self._idle.wait(seconds)

    def stuck(self, seconds: float) -> bool:
        """Whether a cancel has been on its way for so long."""
        with self._lock:
            return self._begun_at is not None and time.monotonic() - self._begun_at >= seconds

    def give_up(self, error: BaseException) -> None:
        """Say that nobody waits for the source any more, and why; the first reason counts."""
        with self._lock:
            if self.given_up is not None:
                return
            self.given_up = error
            listeners = tuple(self._listeners)
        for listener in listeners:
            listener(error)

    def on_give_up(self, listener: Callable[[BaseException], None]) -> None:
        """Have something called when the source is given up, or at once when it was."""
        with self._lock:
            self._listeners.append(listener)
            error = self.given_up
        if error is not None:
            listener(error)

    def leave(self, thread: threading.Thread) -> None:
        """Leave a thread behind that still uses the source."""
        with self._lock:
            self._left.append(thread)

    @property
    def left_behind(self) -> bool:
        """Whether somebody may still use the source, and for how long nobody knows."""
        with self._lock:
            return bool(self._left) or self.given_up is not None

    def close(self, close: Callable[[], None]) -> None:
        """Close the source, or have it closed when what was left behind has ended; that is not waited for."""
        if not self.left_behind:
            close()
            return
        with self._lock:
            left = tuple(self._left)

        def behind() -> None:
            for thread in left:
                thread.join()
            self._idle.wait()
            # Nobody is left whom an error could be told.
            with suppress(Exception):
                close()

        threading.Thread(target=behind, name="rivet-close", daemon=True).start()

    def _call(self) -> None:
        try:
            # Its own failure must not keep it from being called again.
            with suppress(Exception):
                self._cancel()
        finally:
            with self._lock:
                self._begun_at = None
                self._idle.set()


def silent(seconds: float) -> EnvironmentFailure:
    """Return the error of a source that was cancelled in vain for so long."""
    msg = f"the source did not end a read within {seconds:g} s after it was cancelled"
    return EnvironmentFailure(
        msg,
        code="RIVET_SOURCE_STATEMENT_TIMEOUT",
        remedy="check that the server is up and reachable, then run the same command again",
    )
