from __future__ import annotations

from collections.abc import Iterable

import attrs
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.engine.adaptation import Adaptation, next_rows
from rivet_core.requests import Budget, Tuning

ADAPTIVE = Tuning(adaptive=True, budget=Budget(rows=1000))


@attrs.define
class Server:
    """One answer to each question; the last one for ever."""

    answers: list[int | Exception | None]
    asked: int = 0

    def pressure(self) -> int | None:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@attrs.define
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


def server(*answers: int | Exception | None) -> Server:
    return Server(list(answers))


def rows_after(adaptation: Adaptation, asked: Server, questions: Iterable[object]) -> list[int]:
    """The size of batches after each question."""
    found = []
    for _ in questions:
        for _ in range(10):
            adaptation.after_batch(asked.pressure)
        found.append(adaptation.rows)
    return found


@pytest.mark.parametrize(
    ("rows", "configured", "pressed", "then"),
    [
        (10_000, 10_000, True, 7_500),
        (600, 10_000, True, 500),
        (500, 10_000, True, 500),
        (100, 100, True, 100),
        (7_500, 10_000, False, 9_375),
        (9_375, 10_000, False, 10_000),
        (1, 2, False, 2),
    ],
)
def test_batches_shrink_by_a_quarter_and_grow_by_a_quarter(
    rows: int, configured: int, *, pressed: bool, then: int
) -> None:
    assert next_rows(rows, configured, pressed=pressed) == then


@given(configured=st.integers(1, 10**7), pressed=st.lists(st.booleans(), max_size=60))
def test_batches_stay_between_the_fewest_rows_and_the_configured_ones(configured: int, pressed: list[bool]) -> None:
    rows = configured
    for now in pressed:
        rows = next_rows(rows, configured, pressed=now)
        assert min(500, configured) <= rows <= configured


@given(configured=st.integers(1, 10**7))
def test_full_speed_is_reached_again(configured: int) -> None:
    rows = min(500, configured)
    for _ in range(60):
        rows = next_rows(rows, configured, pressed=False)
    assert rows == configured


def test_the_server_is_asked_after_the_first_batch_and_after_every_tenth_then() -> None:
    asked = server(0)
    adaptation = Adaptation(ADAPTIVE)
    for batches, questions in ((1, 1), (9, 1), (1, 2), (9, 2), (1, 3)):
        for _ in range(batches):
            adaptation.after_batch(asked.pressure)
        assert asked.asked == questions


def test_nobody_asks_without_adaptive_tuning() -> None:
    asked = server(0)
    rows_after(Adaptation(Tuning()), asked, range(3))
    assert asked.asked == 0


def test_the_first_count_tells_nothing() -> None:
    assert rows_after(Adaptation(ADAPTIVE), server(55), range(3)) == [1000, 1000, 1000]


def test_reading_slows_down_while_the_count_grows() -> None:
    adaptation = Adaptation(ADAPTIVE)
    assert adaptation.slowdown == 0
    assert rows_after(adaptation, server(5, 6, 7, 8), range(4)) == [1000, 750, 562, 500]
    assert adaptation.slowdown == 1.0


def test_a_rare_sign_of_pressure_spares_the_server_for_a_while() -> None:
    clock = Clock()
    adaptation = Adaptation(ADAPTIVE, clock=clock, calm_seconds=30)
    asked = server(5, 6)
    assert rows_after(adaptation, asked, range(3)) == [1000, 750, 562]
    clock.seconds = 29.9
    assert rows_after(adaptation, asked, range(1)) == [500]
    clock.seconds = 30
    assert rows_after(adaptation, asked, range(4)) == [625, 781, 976, 1000]


def test_counters_that_were_set_back_are_no_pressure() -> None:
    assert rows_after(Adaptation(ADAPTIVE), server(50, 3, 3), range(3)) == [1000, 1000, 1000]


def test_a_server_that_does_not_answer_three_times_is_not_asked_again_and_read_at_full_speed() -> None:
    adaptation = Adaptation(ADAPTIVE)
    asked = server(5, 6, None, LookupError(), None, 7)
    with structlog.testing.capture_logs() as logs:
        assert rows_after(adaptation, asked, range(8))[-1] == 1000
    assert asked.asked == 5
    assert [line["event"] for line in logs].count("source_pressure_unknown") == 1


def test_one_answer_in_between_is_enough_to_go_on_asking() -> None:
    asked = server(5, None, None, 5, None, None, 5)
    rows_after(Adaptation(ADAPTIVE), asked, range(7))
    assert asked.asked == 7


def test_that_reading_gives_way_and_that_it_no_longer_does_are_said_once() -> None:
    clock = Clock()
    adaptation = Adaptation(ADAPTIVE, clock=clock)
    with structlog.testing.capture_logs() as logs:
        rows_after(adaptation, asked := server(1, 2, 3), range(5))
        clock.seconds = 100
        rows_after(adaptation, asked, range(9))
    assert [line["event"] for line in logs] == ["source_under_pressure", "source_at_ease"]
