"""Questions to a source beside its reads: each has its time, and a run tries again by the verdict like for a unit."""

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


class Asked:
    """An open source that is asked questions, none of which is waited for longer than an answer may take.

    Used by one thread at a time.

    :param source: owned.
    :param stop: set when no answer is wanted any more.
    """

    def __init__(self, source: Source, stop: threading.Event) -> None:
        self.source = source
        self._stop = stop
        self._cancelling = Cancelling(source.cancel)

    def ask(self, intent: Intent, question: Callable[[], T]) -> T:
        """Return an answer, tried for again as often as the export allows where that can help.

        :raises RivetError: what the source raised, or ``RIVET_SOURCE_CONNECT_FAILED`` for an error that has no code.
        :raises Stopped: when the run was asked to stop meanwhile.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return self.answer(intent.tuning.statement_timeout_s, question)
            except Exception as error:
                failed = failure(self.source, error)
                if self._stop.is_set():
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
                if self._stop.wait(seconds):
                    raise Stopped from error

    def answer(self, seconds: float, question: Callable[[], T]) -> T:
        """Return an answer that is asked for once; what the source raises is raised as it is.

        :param seconds: how long it may take; 0 for ever.
        :raises EnvironmentFailure: ``RIVET_SOURCE_STATEMENT_TIMEOUT`` when it took longer.
        """
        # An earlier question may still use it.
        if self._cancelling.given_up is not None:
            raise self._cancelling.given_up
        with Watch(seconds, self._cancelling, stop=self._stop) as watch:
            return watch.answer_apart(question)

    def close(self) -> None:
        """Close the source; one that was given up is closed when it lets go, which is not waited for."""
        self._cancelling.close(self.source.close)


def _final(error: BaseException, verdict: Verdict) -> BaseException:
    if isinstance(error, RivetError) or verdict is Verdict.FATAL:
        return error
    return EnvironmentFailure(
        f"the source cannot be asked: {redact(f'{type(error).__name__}: {error}')}",
        code=_UNANSWERED,
        remedy="check that the server is up and reachable, then run the same command again",
        transient=verdict is not Verdict.CONFIG,
    )
