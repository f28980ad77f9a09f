"""Ctrl-C and SIGTERM: a run ends at its next restart point, anything else at once, and nothing ends in a traceback."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM"}


class SignalReceived(BaseException):  # noqa: N818, RUF100 - nothing that handles errors may catch it
    """The process was asked to end; 128 and the signal's number is its exit status."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal_name(number)}")
        self.number = number

    @property
    def exit(self) -> int:
        """130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number


def signal_name(number: int) -> str:
    """Return what a person calls the signal."""
    return _NAMES.get(signal.Signals(number), signal.Signals(number).name)


class Signals:
    """The signals of this process, and what is to be done about one."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._stop: threading.Event | None = None
        self._announce = True

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle both signals for the length of the block; elsewhere than in the main thread nothing is changed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._handle) for number in _NAMES}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def setting(self, stop: threading.Event, *, announce: bool = True) -> Iterator[None]:
        """Let a signal set an event for the length of the block, instead of breaking off the main thread.

        :param announce: say on standard error that the end is coming.
        """
        self._stop = stop
        self._announce = announce
        try:
            yield
        finally:
            self._stop = None

    def _handle(self, number: int, frame: Any) -> None:
        del frame
        if self.received is not None:
            # Whoever asks twice does not want to wait; the ledger is made for a death at any point.
            os.write(2, b"\nended at once; nothing that was recorded is read again\n")
            os._exit(128 + number)
        self.received = number
        if self._stop is None:
            raise SignalReceived(number)
        self._stop.set()
        if self._announce:
            name = signal_name(number)
            os.write(2, f"\n{name}: ending at the next restart point; once more ends at once\n".encode())
