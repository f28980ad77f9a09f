"""Whole runs: what was counted of a part is read once, however many steps want to know something of all parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import crash_world
import pytest
from ledger_worlds import COLUMNS, fresh

from rivet_core.state import StateDatabase


class WatchedState(StateDatabase):
    """A state that counts how often it gave a part's counters."""

    given = 0

    def rows(self, statement: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        found = super().rows(statement, parameters)
        type(self).given += sum(isinstance(value, str) and '"checksums"' in value for row in found for value in row)
        return found


@pytest.mark.parametrize("name", COLUMNS)
def test_a_run_reads_the_counters_of_each_part_once(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = type("Watched", (WatchedState,), {})
    monkeypatch.setattr(crash_world, "StateDatabase", watched)
    outcome = fresh(name, tmp_path).run(tmp_path)
    assert outcome.error is None
    assert watched.given == outcome.parts > 0  # type: ignore[attr-defined] # the class has it
