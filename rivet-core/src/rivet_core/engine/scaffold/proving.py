"""Whether an export that was made up here would be accepted: planned as a run would, over columns that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.engine.preview import facts_of
from rivet_core.errors import RivetError
from rivet_core.planning import choose_runner, make_plan

if TYPE_CHECKING:
    from rivet_core.engine.declarations import Declarations
    from rivet_core.requests import Intent
    from rivet_core.schema import TableSchema
    from rivet_core.types import SourceIdentity


def refusal(
    intent: Intent, declarations: Declarations, identity: SourceIdentity, schema: TableSchema
) -> RivetError | None:
    """Return what ``rivet check`` would end with, or None."""
    try:
        runner = choose_runner(
            intent, declarations.runners, declarations.source.capabilities, declarations.destination.capabilities
        )
        intent = intent.served_by(runner.kind)
        schemas = tuple((spec, schema) for spec in runner.datasets(intent))
        plan = make_plan(intent, facts_of(intent, declarations, identity, schemas), runner, position=None)
        written = declarations.format_factory(intent)()
        for dataset in plan.datasets:
            written.check(dataset.schema)
    except RivetError as error:
        return error
    return None
