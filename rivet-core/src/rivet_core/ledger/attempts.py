"""Calls of the destination, tried again where its verdict says that this can help."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import stamina

from rivet_core.errors import EnvironmentFailure, Place, RivetError
from rivet_core.types import Verdict, redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.ledger.access import LedgerAccess

T = TypeVar("T")


def attempted(access: LedgerAccess, key: str, call: Callable[[], T]) -> T:
    """Return what a call of the destination returns, after as many attempts as it needs and may have.

    :param key: what it is about, for the error.
    :param call: safe to repeat.
    :raises RivetError: what the destination says, or ``RIVET_DEST_IO_FAILED`` for an error that has no code.
    """
    destination = access.destination
    tries = 0
    try:
        for attempt in stamina.retry_context(
            on=lambda error: destination.verdict(error) in {Verdict.RETRY, Verdict.RECONNECT},
            attempts=access.put_attempts,
            timeout=None,
            wait_initial=access.put_backoff_seconds,
            wait_max=60.0,
        ):
            with attempt:
                tries = attempt.num
                return call()
    except RivetError:
        raise
    except Exception as error:
        reason = redact(f"{type(error).__name__}: {error}")
        msg = f"the destination failed after {tries} attempt{'s' * (tries > 1)}: {reason}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_DEST_IO_FAILED",
            place=Place(value=key),
            remedy="run the same command again: the run resumes",
            transient=destination.verdict(error) is not Verdict.CONFIG,
        ) from error
    msg = "a call was not attempted"  # unreachable: the context tries at least once
    raise AssertionError(msg)
