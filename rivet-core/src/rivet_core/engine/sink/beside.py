"""Two pieces of work at once, one on the caller's thread: numpy and Arrow leave the interpreter to each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Generic, TypeVar

T = TypeVar("T")


def beside(work: Callable[[], T], act: Callable[[], None]) -> T:
    """Return what the work returns, which runs on a thread of its own while this one acts.

    Nothing runs any more when this returns or raises; the error of the act goes first.
    """
    task = _Task(work)
    thread = threading.Thread(target=copy_context().run, args=(task.run,), name="rivet-count", daemon=True)
    thread.start()
    try:
        act()
    finally:
        thread.join()
    return task.result()


class _Task(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._done: list[T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._done.append(self._work())
        except BaseException as error:  # noqa: BLE001 - it is raised again on the caller's thread
            self._error = error

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        return self._done[0]
