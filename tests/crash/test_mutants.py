"""Every step of the durable order, broken once: the proof that guards it must fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import crash_battery as battery
import pytest
from crash_mutants import MUTANTS, Mutant, applied

if TYPE_CHECKING:
    from pathlib import Path

_CHECKS: dict[str, battery.Check] = {
    **battery.SINGLE,
    **battery.all_worlds(battery.every_point, "stream", "snapshot"),
    "every_statement[seek]": battery.every_statement("seek"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name.replace(" ", "-"))
def test_a_broken_step_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    check = _CHECKS[mutant.caught_by]
    with applied(mutant), pytest.raises(Exception, match=r"(?s).*"):  # whatever shape the damage takes
        check(tmp_path)
