from __future__ import annotations

import threading

import pytest

from rivet_core.engine.sink.beside import beside


def test_the_work_runs_while_the_caller_acts() -> None:
    began, acted = threading.Event(), threading.Event()

    def work() -> bool:
        began.set()
        return acted.wait(10)

    def act() -> None:
        assert began.wait(10)
        acted.set()

    assert beside(work, act) is True


def test_what_the_work_raises_comes_out_after_the_act() -> None:
    acts: list[str] = []

    def work() -> None:
        raise ValueError

    with pytest.raises(ValueError):
        beside(work, lambda: acts.append("done"))
    assert acts == ["done"]


def test_the_work_has_ended_when_the_act_raises() -> None:
    release, ended = threading.Event(), threading.Event()

    def work() -> None:
        release.wait(10)
        ended.set()

    def act() -> None:
        release.set()
        raise OSError

    with pytest.raises(OSError):
        beside(work, act)
    assert ended.is_set()


def test_an_error_of_the_act_goes_before_one_of_the_work() -> None:
    def work() -> None:
        raise ValueError

    def act() -> None:
        raise OSError

    with pytest.raises(OSError):
        beside(work, act)
