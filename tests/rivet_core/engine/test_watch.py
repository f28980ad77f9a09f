from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import attrs
import pyarrow as pa
import pytest

from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.watch import Watch
from rivet_core.errors import EnvironmentFailure
from rivet_core.protocols import Batch


@attrs.define
class Source:
    """Answers when it is cancelled, or after so many seconds; it counts its cancels."""

    cancels: int = 0
    cancelled: threading.Event = attrs.field(factory=threading.Event)

    def cancel(self) -> None:
        self.cancels += 1
        self.cancelled.set()

    def answer(self, seconds: float) -> str:
        if self.cancelled.wait(seconds):
            raise LookupError
        return "answer"

    def batches(self, *seconds: float) -> Iterator[Batch]:
        for pause in seconds:
            self.answer(pause)
            yield Batch(data=pa.record_batch({"n": [1]}))


def test_an_answer_in_time_is_given() -> None:
    source = Source()
    with Watch(5, Cancelling(source.cancel)) as watch:
        assert watch.answer(lambda: source.answer(0)) == "answer"
    assert source.cancels == 0


def test_an_answer_that_takes_too_long_is_cancelled_and_called_so() -> None:
    source = Source()
    with Watch(0.2, Cancelling(source.cancel), "orders") as watch, pytest.raises(EnvironmentFailure) as caught:
        watch.answer(lambda: source.answer(60))
    assert (caught.value.code, caught.value.place.relation) == ("RIVET_SOURCE_STATEMENT_TIMEOUT", "orders")
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_source_that_answers_after_it_was_cancelled_was_too_late() -> None:
    source = Source()
    with Watch(0.1, Cancelling(source.cancel)) as watch, pytest.raises(EnvironmentFailure):
        watch.answer(lambda: time.sleep(0.4))
    assert source.cancels > 1


def test_an_error_in_time_is_the_sources_own() -> None:
    source = Source()
    source.cancelled.set()
    with Watch(5, Cancelling(source.cancel)) as watch, pytest.raises(LookupError):
        watch.answer(lambda: source.answer(1))


def watches() -> int:
    return sum(thread.name == "rivet-watch" for thread in threading.enumerate())


def test_no_limit_watches_nothing() -> None:
    with Watch(0, Cancelling(Source().cancel)) as watch:
        assert watches() == 0
        assert watch.answer(lambda: "answer") == "answer"


def test_the_watch_ends_with_its_block() -> None:
    with Watch(60, Cancelling(Source().cancel)):
        assert watches() == 1
    assert watches() == 0


def test_many_batches_may_take_longer_than_one() -> None:
    source = Source()
    with Watch(2, Cancelling(source.cancel)) as watch:
        assert len(list(watch.each(source.batches(*[0.1] * 22)))) == 22
    assert source.cancels == 0


def test_the_time_between_batches_is_not_the_sources() -> None:
    source, found = Source(), 0
    with Watch(1, Cancelling(source.cancel)) as watch:
        for _ in watch.each(source.batches(0, 0, 0)):
            found += 1
            time.sleep(1.2 if found == 1 else 0)
    assert (found, source.cancels) == (3, 0)


def test_a_batch_that_takes_too_long_ends_the_read() -> None:
    source, found = Source(), []  # type: ignore[var-annotated]
    with Watch(1, Cancelling(source.cancel)) as watch, pytest.raises(EnvironmentFailure):
        found.extend(watch.each(source.batches(0, 0, 60)))
    assert len(found) == 2


def test_a_cancel_that_fails_is_tried_again() -> None:
    source = Source()

    def failing() -> None:
        source.cancel() if source.cancels else setattr(source, "cancels", 1)
        raise OSError

    with Watch(0.1, Cancelling(failing)) as watch, pytest.raises(EnvironmentFailure):
        watch.answer(lambda: source.answer(60))
    assert source.cancels > 1


@pytest.mark.parametrize("seconds", [0, 60])
def test_an_answer_that_nobody_waits_for_is_cancelled_with_the_sources_own_error(seconds: float) -> None:
    source, stop = Source(), threading.Event()
    threading.Timer(0.1, stop.set).start()
    begun = time.monotonic()
    with Watch(seconds, Cancelling(source.cancel), stop=stop) as watch, pytest.raises(LookupError):
        watch.answer(lambda: source.answer(20))
    assert time.monotonic() - begun < 10


def test_nothing_is_cancelled_between_answers_though_nobody_waits() -> None:
    source, stop = Source(), threading.Event()
    stop.set()
    with Watch(0, Cancelling(source.cancel), stop=stop) as watch:
        time.sleep(0.5)
        assert source.cancels == 0
        assert watch.answer(lambda: "at once") == "at once"


@attrs.define
class Silent:
    """A source whose server says nothing any more: neither an answer nor a cancel returns before it is freed."""

    cancels: int = 0
    freed: threading.Event = attrs.field(factory=threading.Event)
    closed: threading.Event = attrs.field(factory=threading.Event)

    def cancel(self) -> None:
        self.cancels += 1
        self.freed.wait(30)

    def answer(self) -> str:
        self.freed.wait(30)
        return "answer"


def slowly(seconds: float) -> str:
    time.sleep(seconds)
    return "answer"


@pytest.fixture
def silent() -> Iterator[Silent]:
    source = Silent()
    yield source
    source.freed.set()


def test_a_silent_source_is_given_up_for_a_question(silent: Silent) -> None:
    begun = time.monotonic()
    with (
        Watch(0.2, Cancelling(silent.cancel), "orders", patience=0.3) as watch,
        pytest.raises(EnvironmentFailure) as caught,
    ):
        watch.answer_apart(silent.answer)
    assert time.monotonic() - begun < 5
    assert (caught.value.code, caught.value.place.relation) == ("RIVET_SOURCE_STATEMENT_TIMEOUT", "orders")


def test_one_cancel_at_a_time_is_on_its_way(silent: Silent) -> None:
    with Watch(0.1, Cancelling(silent.cancel), patience=1) as watch, pytest.raises(EnvironmentFailure):
        watch.answer_apart(silent.answer)
    assert silent.cancels == 1


def test_a_silent_source_that_nobody_waits_for_is_given_up(silent: Silent) -> None:
    stop = threading.Event()
    stop.set()
    begun = time.monotonic()
    with Watch(0, Cancelling(silent.cancel), stop=stop, patience=0.3) as watch, pytest.raises(EnvironmentFailure):
        watch.answer_apart(silent.answer)
    assert time.monotonic() - begun < 5


def test_no_answer_is_given_while_a_cancel_is_on_its_way(silent: Silent) -> None:
    # It would hit whatever is asked next.
    stop = threading.Event()
    stop.set()
    with Watch(0, Cancelling(silent.cancel), stop=stop, patience=5) as watch:
        threading.Timer(0.8, silent.freed.set).start()
        assert watch.answer(lambda: slowly(0.5)) == "answer"
        assert silent.freed.is_set()


def test_an_answer_is_none_when_its_cancel_does_not_return(silent: Silent) -> None:
    stop = threading.Event()
    stop.set()
    with Watch(0, Cancelling(silent.cancel), stop=stop, patience=0.5) as watch, pytest.raises(EnvironmentFailure):
        watch.answer(lambda: slowly(0.4))


def test_a_source_that_was_given_up_is_closed_when_it_lets_go(silent: Silent) -> None:
    cancelling = Cancelling(silent.cancel)
    with Watch(0.1, cancelling, patience=0.2) as watch, pytest.raises(EnvironmentFailure):
        watch.answer_apart(silent.answer)
    cancelling.close(silent.closed.set)
    assert not silent.closed.is_set()
    silent.freed.set()
    assert silent.closed.wait(5)


def test_a_question_apart_is_answered_or_fails_as_any_other() -> None:
    with Watch(5, Cancelling(Source().cancel)) as watch:
        assert watch.answer_apart(lambda: "answer") == "answer"
        with pytest.raises(ZeroDivisionError):
            watch.answer_apart(lambda: 1 / 0)


def test_who_insists_on_a_cancel_that_does_not_return_gives_the_source_up(silent: Silent) -> None:
    cancelling = Cancelling(silent.cancel)
    cancelling.insist(cancel_patience=0.1)
    assert cancelling.given_up is None
    time.sleep(0.2)
    cancelling.insist(cancel_patience=0.1)
    assert isinstance(cancelling.given_up, EnvironmentFailure)


def test_who_insists_on_cancels_in_vain_gives_the_source_up() -> None:
    cancelling = Cancelling(Source().cancel)
    cancelling.insist(patience=0.1)
    assert cancelling.given_up is None
    time.sleep(0.2)
    cancelling.insist(patience=0.1)
    assert isinstance(cancelling.given_up, EnvironmentFailure)
