"""What an administrator may change: forgetting an export's position, under its lease, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.errors import Place, RefusalError
from rivet_core.state import _writes, reads

if TYPE_CHECKING:
    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.state.rows import ExportRow, RunRow


def refuse_sealing(access: LedgerAccess, export: ExportRow) -> RunRow | None:
    """Return the export's unfinished run, if it may be abandoned.

    :raises RefusalError: ``RIVET_STATE_RUN_SEALING`` when it can only be completed: its manifest may be visible.
    """
    run = reads.unfinished_run(access.database, export.id)
    if run is not None and any(roll.phase == "sealing" for roll in reads.rolls(access.database, run.id)):
        msg = f"run {run.id} of export {export.name} is being sealed: its manifest may be visible already"
        raise RefusalError(
            msg,
            code="RIVET_STATE_RUN_SEALING",
            place=Place(path=f"exports.{export.name}"),
            remedy=f"complete it first: rivet run -e {export.name}; then reset",
        )
    return run


def forget(access: LedgerAccess, export: ExportRow) -> None:
    """Forget the export's position and baselines: its next run starts from the beginning.

    :param access: under the export's lease; its unfinished run is abandoned already.
    """
    with access.transaction() as database:
        _writes.forget_position(database, export.id)
