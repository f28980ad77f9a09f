"""What an earlier process left: a sealing that only needs completing, an acknowledgement, a run to abandon."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import attrs
import structlog

from rivet_core.engine.staging import remove_leftovers
from rivet_core.errors import BusyError, Place, RefusalError
from rivet_core.ledger.advance import advance
from rivet_core.ledger.frozen import FrozenValues
from rivet_core.ledger.lease import hold, prefix_lease
from rivet_core.ledger.opening import abandon
from rivet_core.ledger.sealing import complete_sealing
from rivet_core.state import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.protocols import Destination
    from rivet_core.state.rows import ExportRow, RunRow

log = structlog.get_logger("rivet.engine")


def complete_unfinished_sealing(
    access: LedgerAccess, export: ExportRow, open_destination: Callable[[str], Destination]
) -> str | None:
    """Complete the export's sealing, if one was begun: no reading, no gates, no plan check, no abandoning.

    :param open_destination: opens the destination at a resolved prefix, since the run may have had another one.
    :returns: the run's id, if it had a sealing and is closed now.
    :raises RefusalError: when the configuration now leads elsewhere than the run's own prefix.
    """
    run = reads.unfinished_run(access.database, export.id)
    if run is None:
        return None
    roll = reads.rolls(access.database, run.id)[-1]
    if roll.phase != "sealing":
        return None
    with _at_own_prefix(access, run, open_destination) as own:
        if own is None:
            msg = f"run {run.id} of export {export.name} was sealed for another destination and is not finished there"
            raise RefusalError(
                msg,
                code="RIVET_STATE_PLAN_CHANGED",
                place=Place(path=f"exports.{export.name}.destination"),
                remedy=f"restore the destination {FrozenValues.from_json(run.frozen).uri} and run once",
            )
        following = advance(own, complete_sealing(own, run.id, roll))
    return run.id if following is None else None


def abandon_run(
    access: LedgerAccess, run: RunRow, open_destination: Callable[[str], Destination], staging: Path | None
) -> None:
    """Close the run as abandoned and move its parts aside, at its own prefix if that can still be reached.

    :param staging: the user's staging folder, from which the run's unfinished files are removed.
    """
    try:
        with _at_own_prefix(access, run, open_destination) as own:
            if own is not None:
                abandon(own, run)
                remove_leftovers(own.destination, staging, run.id)
                return
    except BusyError:
        # Somebody else writes there now; a dead run must not stop this one.
        log.warning("abandoned_parts_left", run_id=run.id)
    abandon(attrs.evolve(access, capabilities=attrs.evolve(access.capabilities, readable=False)), run)


@contextmanager
def _at_own_prefix(
    access: LedgerAccess, run: RunRow, open_destination: Callable[[str], Destination]
) -> Iterator[LedgerAccess | None]:
    frozen = FrozenValues.from_json(run.frozen)
    if frozen.uri == access.destination.uri():
        yield access
        return
    with closing(open_destination(frozen.prefix)) as destination:
        if destination.uri() != frozen.uri:
            yield None
            return
        key = prefix_lease(frozen.uri)
        with hold(access.database, (key,), wait_seconds=0, now=access.clock()) as fence:
            yield attrs.evolve(
                access,
                destination=destination,
                fence=attrs.evolve(access.fence, tokens=access.fence.tokens + fence.tokens),
            )
