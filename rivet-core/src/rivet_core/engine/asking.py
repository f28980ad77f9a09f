"""Questions to the source before the first row: retried by its verdict like a unit, and their errors get a code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import structlog

from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.producer import failure
from rivet_core.engine.watch import Watch
from rivet_core.errors import EnvironmentFailure, RivetError
from rivet_core.ledger.attempts import Stopped
from rivet_core.ledger.backoff import backoff_seconds
from rivet_core.types import Verdict, reason, redact

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from rivet_core.protocols import Source
    from rivet_core.requests import Intent

log = structlog.get_logger("rivet.engine")

T = TypeVar("T")

#: The code of an error that has none.
_UNANSWERED: Final = "RIVET_SOURCE_CONNECT_FAILED"

#: What cancels the sources that something was left behind of, by identity, until they are closed.
_LEFT: Final[dict[int, Cancelling]] = {}


def ask(source: Source, intent: Intent, stop: threading.Event, question: Callable[[], T]) -> T:
    """Return the answer of a source, tried again as often as the export allows where that can help.

    :raises RivetError: what the source raised, or ``RIVET_SOURCE_CONNECT_FAILED`` for an error that has no code.
    :raises Stopped: when the run was asked to stop meanwhile.
    """
    attempt = 0
    while True:
        attempt += 1
        try:
            return _answer(source, intent.tuning.statement_timeout_s, stop, question)
        except Exception as error:
            failed = failure(source, error)
            if stop.is_set():
                raise Stopped from error
            if failed.verdict in {Verdict.FATAL, Verdict.CONFIG} or attempt >= max(1, intent.max_attempts):
                final = _final(failed.error, failed.verdict)
                if final is error:
                    raise
                raise final from error
            seconds = backoff_seconds(intent.retry_backoff_ms / 1000, attempt)
            log.warning(
                "source_retried",
                export=intent.name,
                attempt=attempt,
                wait_seconds=round(seconds, 1),
                code=failed.error.code if isinstance(failed.error, RivetError) else _UNANSWERED,
                error=reason(failed.error),
            )
            if stop.wait(seconds):
                raise Stopped from error


def close_asked(source: Source) -> None:
    """Close a source that was asked; one that was given up is closed when it lets go, which is not waited for."""
    cancelling = _LEFT.pop(id(source), None)
    if cancelling is None:
        source.close()
    else:
        cancelling.close(source.close)


def _answer(source: Source, seconds: float, stop: threading.Event, question: Callable[[], T]) -> T:
    cancelling = Cancelling(source.cancel)
    try:
        with Watch(seconds, cancelling, stop=stop) as watch:
            return watch.answer_apart(question)
    finally:
        if cancelling.left_behind:
            _LEFT[id(source)] = cancelling


def _final(error: BaseException, verdict: Verdict) -> BaseException:
    if isinstance(error, RivetError) or verdict is Verdict.FATAL:
        return error
    return EnvironmentFailure(
        f"the source cannot be asked: {redact(f'{type(error).__name__}: {error}')}",
        code=_UNANSWERED,
        remedy="check that the server is up and reachable, then run the same command again",
        transient=verdict is not Verdict.CONFIG,
    )
