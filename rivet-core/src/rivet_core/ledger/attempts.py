"""Calls of the destination, tried again where its verdict says that this can help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import structlog

from rivet_core.errors import EnvironmentFailure, Place, RivetError
from rivet_core.ledger.backoff import backoff_seconds
from rivet_core.types import Verdict, reason

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from rivet_core.ledger.access import LedgerAccess

log = structlog.get_logger("rivet.ledger")

T = TypeVar("T")

#: The code of an error that has none.
_FAILED: Final = "RIVET_DEST_IO_FAILED"


class Stopped(BaseException):
    """The run was asked to stop; it stays open, and nothing that was recorded is read again."""


def attempted(access: LedgerAccess, key: str, call: Callable[[], T], *, stop: threading.Event | None = None) -> T:
    """Return what a call of the destination returns, after as many attempts as it needs and may have.

    Only the waits end early: a call that was begun is never broken off here, and the first one is always made.

    :param key: what it is about, for the error.
    :param call: safe to repeat.
    :param stop: what ends the waits, in place of the access's own.
    :raises RivetError: what the destination says, or ``RIVET_DEST_IO_FAILED`` for an error that has no code.
    :raises Stopped: when another attempt could have helped, and the run was asked to stop.
    """
    stop = stop or access.stop
    number = 0
    while True:
        number += 1
        try:
            return call()
        except Exception as error:
            verdict = access.destination.verdict(error)
            if verdict not in {Verdict.RETRY, Verdict.RECONNECT} or number >= access.put_attempts:
                if isinstance(error, RivetError):
                    raise
                raise _failure(error, verdict, key, number) from error
            seconds = backoff_seconds(access.put_backoff_seconds, number)
            log.warning(
                "destination_retried",
                key=key,
                attempt=number,
                wait_seconds=round(seconds, 1),
                code=error.code if isinstance(error, RivetError) else _FAILED,
                error=reason(error),
            )
            if stop.wait(seconds):
                raise Stopped from error


def _failure(error: Exception, verdict: Verdict, key: str, attempts: int) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"the destination failed after {attempts} attempt{'s' * (attempts > 1)}: {reason(error)}",
        code=_FAILED,
        place=Place(value=key),
        remedy="run the same command again: nothing that was recorded is read again",
        transient=verdict is not Verdict.CONFIG,
    )
