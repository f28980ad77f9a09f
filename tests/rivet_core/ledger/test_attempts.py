from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import pytest
from structlog.testing import capture_logs

from rivet_core.errors import EnvironmentFailure, UsageError
from rivet_core.ledger.access import LedgerAccess
from rivet_core.ledger.attempts import Stopped, attempted
from rivet_core.types import Verdict


@attrs.frozen
class Judge:
    """A destination of which only the verdict is asked."""

    verdict_: Verdict

    def verdict(self, error: BaseException) -> Verdict:
        del error
        return self.verdict_


@attrs.define
class Failing:
    """A call that fails so often, and then answers."""

    times: int
    error: Exception = attrs.Factory(lambda: ConnectionResetError("the connection was reset"))
    calls: int = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return "done"


Make = Callable[..., LedgerAccess]


@pytest.fixture
def judged(access: LedgerAccess) -> Make:
    """Make an access whose destination says what an error means."""

    def make(verdict: Verdict = Verdict.RETRY, *, wait: float = 0.001, **changes: Any) -> LedgerAccess:
        return attrs.evolve(access, destination=Judge(verdict), put_backoff_seconds=wait, **changes)

    return make


@pytest.fixture
def soon() -> Iterator[threading.Event]:
    """Asks for the end while a call is waited for."""
    stop = threading.Event()
    timer = threading.Timer(0.3, stop.set)
    timer.start()
    yield stop
    timer.cancel()


@pytest.mark.parametrize("verdict", [Verdict.RETRY, Verdict.RECONNECT])
def test_a_call_is_tried_again_where_that_can_help(judged: Make, verdict: Verdict) -> None:
    call = Failing(times=3)
    assert attempted(judged(verdict, put_attempts=4), "key", call) == "done"
    assert call.calls == 4


@pytest.mark.parametrize("verdict", [Verdict.FATAL, Verdict.CONFIG])
def test_a_call_that_cannot_succeed_is_made_once(judged: Make, verdict: Verdict) -> None:
    call = Failing(times=9)
    with pytest.raises(EnvironmentFailure, match="after 1 attempt: ConnectionResetError") as caught:
        attempted(judged(verdict, wait=60), "key", call)
    assert (call.calls, caught.value.code) == (1, "RIVET_DEST_IO_FAILED")


def test_the_last_attempt_is_not_waited_for(judged: Make) -> None:
    call = Failing(times=9)
    began = time.monotonic()
    with pytest.raises(EnvironmentFailure, match="after 1 attempt:"):
        attempted(judged(wait=60, put_attempts=1), "key", call)
    assert time.monotonic() - began < 5


def test_an_error_with_a_code_comes_out_as_it_is(judged: Make) -> None:
    error = UsageError("no", code="RIVET_DEST_OBJECT_EXISTS")
    with pytest.raises(UsageError) as caught:
        attempted(judged(put_attempts=3), "key", Failing(times=9, error=error))
    assert caught.value is error


def test_a_wait_ends_at_once_when_the_run_is_asked_to_stop(judged: Make, soon: threading.Event) -> None:
    call = Failing(times=9)
    began = time.monotonic()
    with pytest.raises(Stopped) as caught:
        attempted(judged(wait=60, stop=soon), "key", call)
    assert time.monotonic() - began < 5
    assert call.calls == 1
    assert isinstance(caught.value.__cause__, ConnectionResetError)


def test_one_units_call_can_be_given_up_alone(judged: Make, soon: threading.Event) -> None:
    with pytest.raises(Stopped):
        attempted(judged(wait=60), "key", Failing(times=9), stop=soon)


def test_no_other_attempt_begins_after_the_end_was_asked_for(judged: Make) -> None:
    stop = threading.Event()
    call = Failing(times=9)
    stop.set()
    with pytest.raises(Stopped):
        attempted(judged(wait=0, stop=stop), "key", call)
    assert call.calls == 1


def test_what_is_in_hand_is_still_tried_once_after_the_end_was_asked_for(judged: Make) -> None:
    stop = threading.Event()
    stop.set()
    assert attempted(judged(stop=stop), "key", Failing(times=0)) == "done"


def test_the_log_says_why_a_call_is_tried_again_without_secrets(judged: Make) -> None:
    told = ConnectionResetError("reset by https://someone:hunter2@store.example/bucket")
    with capture_logs() as lines:
        attempted(judged(put_attempts=2), "key", Failing(times=1, error=told))
    (line,) = lines
    assert (line["event"], line["code"]) == ("destination_retried", "RIVET_DEST_IO_FAILED")
    assert line["error"] == "ConnectionResetError: reset by https://***@store.example/bucket"
