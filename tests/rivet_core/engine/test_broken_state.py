"""A state file that breaks while a run goes on: the first error is told, with its own exit status."""

from __future__ import annotations

from pathlib import Path

import pytest
from crash_world import World, check_delivery
from ledger_worlds import fresh

from rivet_core.errors import EnvironmentFailure


class Breaking:
    """Refuses every statement from the n-th on, as a full disk does."""

    def __init__(self, nth: int) -> None:
        self._left = nth
        self._begun = False
        self.happened = False

    def __call__(self, statement: str) -> None:
        # Before its first transaction the state is only being opened.
        self._begun = self._begun or statement.startswith("BEGIN")
        self._left -= self._begun
        if self._left <= 0:
            self.happened = True
            msg = f"the state file cannot be written: {statement[:6]}"
            raise EnvironmentFailure(msg, code="RIVET_STATE_NOT_WRITABLE")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return fresh("full", tmp_path)


@pytest.mark.slow
def test_a_state_that_breaks_at_any_statement_is_the_outcomes_error(world: World, tmp_path: Path) -> None:
    # The state is made by a run before, so that every statement is one of the run.
    world.run(tmp_path)
    for nth in range(1, 1000):
        breaking = Breaking(nth)
        outcome = world.run(tmp_path, before_statement=breaking)
        if not breaking.happened:
            break
        assert outcome.error is not None
        assert outcome.error.code == "RIVET_STATE_NOT_WRITABLE", nth
    else:
        pytest.fail("the run never ended")
    check_delivery(world, tmp_path)
