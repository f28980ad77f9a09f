"""The typed empty file of a run without rows, for runners that deliver whole relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.reader import base_request
from rivet_core.engine.sink import empty_part
from rivet_core.ledger.finished import RestartPoint
from rivet_core.ledger.run import EMPTY_UNIT
from rivet_core.requests import Unit, encode_unit

if TYPE_CHECKING:
    from rivet_core.engine.sink import Recipe
    from rivet_core.ledger.run import RunLedger


def write_empty_files(run: RunLedger, recipe: Recipe) -> None:
    """Deliver and record one file without rows for every dataset, through the ledger like any part."""
    unit = Unit(
        id=EMPTY_UNIT,
        ordinal=run.unit_count(),
        request=attrs.evolve(base_request(recipe.plan), limit=0),
    )
    ledger = run.begin_empty(encode_unit(unit))
    if ledger is None:
        return
    for dataset in recipe.plan.datasets:
        ledger.deliver(empty_part(recipe, dataset.name))
    ledger.record(RestartPoint(done=True))
