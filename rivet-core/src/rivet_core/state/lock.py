"""A lock between processes that the operating system frees when its holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, Self

from rivet_core.errors import EnvironmentFailure, Place

if TYPE_CHECKING:
    import threading
    from pathlib import Path
    from types import TracebackType

_POLL_SECONDS = 0.1


class FileLock:
    """An exclusive lock on a side file. The file stays; only the lock on it means anything."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, wait_seconds: float, stop: threading.Event | None = None) -> bool:
        """Return whether the lock was got within the time; 0 asks once.

        :param stop: ends the waiting when it is set.
        :raises EnvironmentFailure: when the side file cannot be made.
        """
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            msg = f"the lock file cannot be made: {error.strerror}"
            raise EnvironmentFailure(
                msg,
                code="RIVET_STATE_NOT_WRITABLE",
                place=Place(file=str(self.path)),
                remedy="the folder of the state file must be writable",
            ) from error
        deadline = time.monotonic() + wait_seconds
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                stopped = stop is not None and stop.is_set()
                if stopped or time.monotonic() >= deadline:
                    os.close(descriptor)
                    return False
                time.sleep(_POLL_SECONDS)
            except BaseException:
                os.close(descriptor)
                raise
            else:
                self._descriptor = descriptor
                return True

    def release(self) -> None:
        """Let the lock go; safe to call again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
