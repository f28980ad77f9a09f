"""Opening a run: a new one, or an unfinished one resumed; and abandoning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import InternalError
from rivet_core.ledger.naming import is_unit_id
from rivet_core.ledger.orphans import quarantine
from rivet_core.ledger.parts import check_recorded
from rivet_core.ledger.run import EMPTY_UNIT, RunLedger
from rivet_core.requests import encode_unit
from rivet_core.state import _writes, parts, reads

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.frozen import FrozenValues
    from rivet_core.requests import Unit
    from rivet_core.state import StateDatabase
    from rivet_core.state.rows import ExportRow, RunRow


@attrs.frozen(kw_only=True)
class RunShape:
    """What the ledger must know of a plan.

    :param fingerprint: the plan's identity.
    :param prefixes: the datasets' key prefixes, by name.
    :param extension: of part files.
    """

    fingerprint: str
    prefixes: dict[str, str]
    extension: str


def find_or_make_export(access: LedgerAccess, name: str, source: str) -> ExportRow:
    """Return the export's row, made when it is new."""
    with access.transaction() as database:
        _writes.ensure_export(database, name, source)
    row = reads.find_export(access.database, name, source)
    if row is None:
        msg = f"the state lost the export {name}"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    return row


def open_new(
    access: LedgerAccess,
    export: ExportRow,
    *,
    run_id: str,
    shape: RunShape,
    frozen: FrozenValues,
    units: Iterable[Unit],
) -> RunLedger:
    """Open a new run and store its units, all in one transaction, before anything is read.

    :param units: drained once; a resume takes them from the state.
    """
    with access.transaction() as database:
        _writes.insert_run(
            database,
            run_id,
            export_id=export.id,
            generation=export.generation,
            token=access.fence.token,
            fingerprint=shape.fingerprint,
            frozen=frozen.to_json(),
            now=access.now(),
        )
        access.probe("run_opened")
        _store_units(database, run_id, units)
    access.probe("units_stored")
    return RunLedger(access, run_id=run_id, export_id=export.id, shape=shape, roll=0)


def _store_units(database: StateDatabase, run_id: str, units: Iterable[Unit]) -> None:
    count = 0
    ids: set[str] = set()
    for unit in units:
        if unit.id in ids or unit.id == EMPTY_UNIT or not is_unit_id(unit.id):
            known = "that another unit has" if unit.id in ids else "that no unit may have"
            msg = f"the runner gave a unit the id {unit.id!r}, {known}"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        ids.add(unit.id)
        if unit.ordinal != count:
            msg = f"unit {unit.id} has the ordinal {unit.ordinal} where {count} was due"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        _writes.insert_unit(database, run_id, unit.id, unit.ordinal, encode_unit(unit))
        count += 1
    if count == 0:
        msg = "the runner made no unit"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")


def resume(access: LedgerAccess, run: RunRow, *, shape: RunShape) -> RunLedger:
    """Take over an unfinished run: its units, marks and recorded parts stand.

    Its orphans are moved aside as their units begin again.

    :raises RefusalError: ``RIVET_DEST_COMMITTED_PART_GONE`` when a recorded part is missing or was changed.
    """
    check_recorded(access, parts.recorded(access.database, run.id))
    with access.transaction() as database:
        _writes.take_run(database, run.id, access.fence.token)
    roll = reads.rolls(access.database, run.id)[-1]
    return RunLedger(access, run_id=run.id, export_id=run.export_id, shape=shape, roll=roll.number)


def abandon(access: LedgerAccess, run: RunRow) -> None:
    """Close an unsealed run as abandoned, then move its parts aside; the export's position never moved.

    :param access: with the destination at the abandoned run's own prefix.
    """
    with access.transaction() as database:
        _writes.close_run(database, run.id, "abandoned", access.now())
        _writes.forget_distinct(database, run.id)
    # Rolls that were sealed are delivered and stay; only what no manifest names is moved.
    open_rolls = frozenset(roll.number for roll in reads.rolls(access.database, run.id) if roll.phase != "sealed")
    quarantine(access, run.id, recorded_of=open_rolls)
