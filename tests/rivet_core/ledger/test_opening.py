from __future__ import annotations

from typing import Any

import pytest

from rivet_core.errors import InternalError
from rivet_core.ledger.run import EMPTY_UNIT
from rivet_core.state import StateDatabase, reads


@pytest.mark.parametrize(
    "ids",
    [
        # The engine would take it for the unit of its own typed empty files, and never read it.
        (EMPTY_UNIT,),
        ("full", EMPTY_UNIT),
        # They are in the parts' names, where these two would be one.
        ("a/b", "a_b"),
        ("ä",),
        ("",),
        ("same", "same"),
    ],
)
def test_a_unit_with_an_id_of_another_meaning_is_refused_before_anything_is_read(
    open_run: Any, state: StateDatabase, ids: tuple[str, ...]
) -> None:
    with pytest.raises(InternalError) as caught:
        open_run(*ids)
    assert caught.value.code == "RIVET_INTERNAL_CONTRACT"
    assert reads.run(state, "run") is None


def test_beginning_a_unit_reads_no_other_unit(open_run: Any, state: Any) -> None:
    run = open_run(*(f"unit{number}" for number in range(200)))
    before = state.given
    run.begin("unit150")
    assert state.given - before < 10
