"""Objects of attempts that died: known by their intents, never by listing, and moved aside, never deleted."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import structlog

from rivet_core.errors import RivetError
from rivet_core.ledger.naming import quarantine_key
from rivet_core.state import _writes, parts
from rivet_core.types import redact

if TYPE_CHECKING:
    from rivet_core.ledger.access import LedgerAccess

log = structlog.get_logger("rivet.ledger")


def quarantine(
    access: LedgerAccess,
    run_id: str,
    *,
    unit_id: str | None = None,
    recorded_of: frozenset[int] = frozenset(),
) -> int:
    """Move the run's orphans to ``_quarantine/<run_id>/``, best effort; return how many.

    A put that lands later stays where it is, unrecorded, so no manifest names it.

    :param unit_id: only this unit's.
    :param recorded_of: also the recorded parts of these rolls, for a run that was abandoned.
    """
    found = [parts.intended(access.database, run_id, unit_id)]
    found += [parts.recorded(access.database, run_id, roll) for roll in sorted(recorded_of)]
    moved = 0
    for orphan in chain.from_iterable(found):
        if access.capabilities.readable:
            try:
                access.destination.move(orphan.key, quarantine_key(run_id, orphan.key))
            except Exception as error:  # noqa: BLE001 - an orphan is harmless where it is: no manifest names it
                text = error.code if isinstance(error, RivetError) else redact(f"{type(error).__name__}: {error}")
                log.warning("orphan_left", key=orphan.key, error=text)
                continue
        with access.transaction() as database:
            _writes.set_quarantined(database, run_id, orphan.key)
        moved += 1
    return moved
