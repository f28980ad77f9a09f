"""Steps 9 and 10: the position moves, the roll or run closes, the source is acknowledged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rivet_core.errors import BusyError, InternalError
from rivet_core.manifest.marker import digest
from rivet_core.state import _writes, reads
from rivet_core.types import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.sealing import Sealed


def advance(access: LedgerAccess, sealed: Sealed) -> int | None:
    """Step 9, in one transaction: manifests recorded, position and baselines replaced, roll sealed, run closed.

    A failed verdict closes the run and touches nothing of the export's.

    :param sealed: the proof that the manifests are durable.
    :returns: the number of the next roll, or None when the run is closed.
    :raises BusyError: ``RIVET_STATE_POSITION_MOVED`` when somebody else replaced the position meanwhile.
    """
    run_id, roll = sealed.run_id, sealed.roll
    run = reads.run(access.database, run_id)
    if run is None:
        msg = f"the state lost the run {run_id}"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    following: int | None = None
    with access.transaction() as database:
        now = access.now()
        for manifest in reads.sealing(database, run_id, roll.number):
            _writes.record_manifest(
                database,
                run_id,
                roll.number,
                manifest.dataset,
                key=manifest.key,
                digest=digest(manifest.bytes),
                now=now,
            )
        _writes.end_sealing(database, run_id, roll.number)
        _writes.forget_distinct(database, run_id, roll.number)
        if sealed.verdict == "success":
            _replace(access, sealed, export_id=run.export_id, generation=run.generation)
        if roll.final:
            _writes.close_run(database, run_id, sealed.verdict or "failed", now)
        else:
            following = roll.number + 1
            _writes.open_roll(database, run_id, following, run.generation + 1)
    access.probe("position_advanced")
    return following


def _replace(access: LedgerAccess, sealed: Sealed, *, export_id: int, generation: int) -> None:
    database, facts = access.database, sealed.facts
    if not _writes.swap_generation(database, export_id, generation):
        msg = "the export's position was moved by somebody else since this run opened"
        raise BusyError(
            msg, code="RIVET_STATE_POSITION_MOVED", remedy="look at `rivet state runs`, then run the same command again"
        )
    if facts.position is not None and facts.position_facts is not None:
        _writes.replace_position(
            database,
            export_id,
            generation + 1,
            position=facts.position,
            facts=facts.position_facts,
            run_id=sealed.run_id,
            roll=sealed.roll.number,
            dataset=facts.position_dataset,
        )
    _writes.replace_baselines(database, export_id, drift=facts.drift, shape=facts.shape)
    if facts.acknowledge and facts.position is not None:
        _writes.set_pending_ack(database, export_id, facts.position)


def acknowledge(access: LedgerAccess, export_id: int, tell: Callable[[Position], None]) -> bool:
    """Step 10: tell the source what it may forget, if that is still due; return whether it was.

    Repeated at the next open when the process died before it was recorded: telling twice is harmless.

    :param tell: the source's ``acknowledge``.
    """
    row = next((row for row in reads.exports(access.database) if row.id == export_id), None)
    if row is None or row.pending_ack is None:
        return False
    tell(Position.from_json(json.loads(row.pending_ack)))
    with access.transaction() as database:
        _writes.set_pending_ack(database, export_id, None)
    access.probe("source_acknowledged")
    return True
