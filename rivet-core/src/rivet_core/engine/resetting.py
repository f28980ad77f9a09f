"""Resetting an export: its unfinished run is abandoned, its position and baselines are forgotten, its data stays."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import attrs

from rivet_core.config.prefix import resolve_prefix
from rivet_core.engine.unfinished import abandon_run
from rivet_core.ledger.access import LedgerAccess
from rivet_core.ledger.administer import forget, refuse_sealing
from rivet_core.ledger.frozen import FrozenValues
from rivet_core.ledger.lease import export_lease, hold, prefix_lease
from rivet_core.state import reads

if TYPE_CHECKING:
    from rivet_core.engine.declarations import Declarations
    from rivet_core.engine.settings import Settings
    from rivet_core.requests import Intent
    from rivet_core.state import StateDatabase
    from rivet_core.state.rows import ExportRow


@attrs.frozen(kw_only=True)
class Reset:
    """What was forgotten of an export on one source.

    :param source: the source's identity.
    :param position: the high-water mark as JSON text, or None when there was none.
    :param baselines: whether the schema of a last success was forgotten, which the next run would be compared with.
    :param abandoned: the unfinished run, or None.
    """

    export: str
    source: str
    position: str | None
    baselines: bool
    abandoned: str | None


def reset_export(
    intent: Intent, declarations: Declarations, database: StateDatabase, settings: Settings
) -> tuple[Reset, ...]:
    """Reset an export on every source that the state knows it on; the sources are not contacted.

    :param database: open; borrowed.
    :raises RivetError: when another process runs the export, or a run is being sealed.
    """
    rows = [row for row in reads.exports(database) if row.name == intent.name]
    return tuple(_reset_one(intent, declarations, database, settings, row) for row in rows)


def _reset_one(
    intent: Intent, declarations: Declarations, database: StateDatabase, settings: Settings, row: ExportRow
) -> Reset:
    started = settings.clock()
    unfinished = reads.unfinished_run(database, row.id)
    # At the run's own prefix, so that what it recorded can be moved aside there.
    prefix = resolve_prefix(intent.prefix, export=intent.name, started=started)
    if unfinished is not None:
        prefix = FrozenValues.from_json(unfinished.frozen).prefix
    with (
        closing(declarations.open_destination(intent, prefix)) as destination,
        hold(
            database,
            (export_lease(row.name, row.source), prefix_lease(destination.uri())),
            wait_seconds=settings.lock_wait_seconds,
            now=started,
            stop=settings.stop,
        ) as fence,
    ):
        access = LedgerAccess(
            database=database,
            destination=destination,
            capabilities=declarations.destination.capabilities,
            fence=fence,
            clock=settings.clock,
        )
        # Asked again under the lease: the run may have ended while this process waited.
        run = refuse_sealing(access, row)
        if run is not None:
            abandon_run(access, run, lambda at: declarations.open_destination(intent, at), settings.staging)
        forget(access, row)
    return Reset(
        export=row.name,
        source=row.source,
        position=row.position,
        baselines=row.drift is not None or row.shape is not None,
        abandoned=None if run is None else run.id,
    )
