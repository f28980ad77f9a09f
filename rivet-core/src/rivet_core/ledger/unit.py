"""Steps 1 to 4: a unit's parts become durable and are recorded, at restart points only."""

from __future__ import annotations

import itertools
import json
from functools import partial
from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import EnvironmentFailure, InternalError, RivetError, StaleWriter
from rivet_core.ledger.attempts import attempted
from rivet_core.ledger.naming import part_key
from rivet_core.state import _writes
from rivet_core.state.rows import PartRow
from rivet_core.types import PutReceipt

if TYPE_CHECKING:
    import threading
    from pathlib import Path

    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.finished import FinishedPart, RestartPoint
    from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class Delivered:
    """A part that is durable at the destination and not yet recorded."""

    key: str
    sequence: int
    receipt: PutReceipt
    rows: int


class UnitLedger:
    """One attempt at one unit; used by one thread.

    :param mark: read on after it; None for a unit that starts from its beginning.
    :param sequence: the number of the unit's parts recorded so far.
    :param stop: ends the waits for the destination, in place of the access's own.
    """

    def __init__(
        self,
        access: LedgerAccess,
        *,
        run_id: str,
        unit_id: str,
        attempt: int,
        mark: Position | None,
        sequence: int,
        prefixes: dict[str, str],
        extension: str,
        roll: int,
        stop: threading.Event | None = None,
    ) -> None:
        self._access = access
        self._run_id = run_id
        self._prefixes = prefixes
        self._extension = extension
        self._roll = roll
        self._stop = stop
        self._sequence = sequence
        self._waiting: list[Delivered] = []
        self.unit_id = unit_id
        self.attempt = attempt
        self.mark = mark

    def deliver(self, part: FinishedPart) -> Delivered:
        """Record the intent, then put the part; it is not part of the run before :meth:`record`.

        :raises StaleWriter: when the attempt was superseded; nothing was put then.
        """
        access = self._access
        access.probe("part_finished")
        prefix = self._prefixes[part.dataset]
        key = part_key(prefix, self._run_id, self.unit_id, self.attempt, self._sequence, self._extension)
        with access.transaction() as database:
            self._check(database_attempt=_writes.attempt_holds(database, self._run_id, self.unit_id, self.attempt))
            _writes.insert_part(
                database,
                self._run_id,
                PartRow(
                    part.dataset, key, self.unit_id, self.attempt, self._sequence, self._roll, "intended", part.size,
                    part.fingerprint, part.md5, part.counters.rows, None, None, None,
                ),
                part.counters.to_json(),
            )  # fmt: skip
        access.probe("part_intended")
        receipt = put_file(access, key, part.path, size=part.size, md5=part.md5, stop=self._stop)
        access.probe("part_put")
        delivered = Delivered(key=key, sequence=self._sequence, receipt=receipt, rows=part.counters.rows)
        self._sequence += 1
        self._waiting.append(delivered)
        return delivered

    def record(self, point: RestartPoint) -> tuple[Delivered, ...]:
        """Record the delivered parts, in sequence, together with the mark or the unit's end.

        :returns: the parts that this call recorded.
        """
        access = self._access
        waiting = tuple(self._waiting)
        with access.transaction() as database:
            self._check(database_attempt=_writes.attempt_holds(database, self._run_id, self.unit_id, self.attempt))
            now = access.now()
            for delivered in waiting:
                if delivered.sequence != _writes.next_sequence(database, self._run_id, self.unit_id):
                    msg = f"part {delivered.key} would be recorded out of sequence"
                    raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
                receipt = delivered.receipt
                if not _writes.record_part(
                    database, self._run_id, delivered.key, etag=receipt.etag, store_md5=receipt.md5, now=now
                ):
                    msg = f"part {delivered.key} has no recorded intent"
                    raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
            mark = None if point.mark is None else json.dumps(point.mark.to_json())
            _writes.move_mark(database, self._run_id, self.unit_id, mark, done=point.done)
        self._waiting.clear()
        self.mark = point.mark or self.mark
        access.probe("part_recorded")
        return waiting

    def next_roll(self, roll: int) -> None:
        """Let later parts belong to another roll."""
        self._roll = roll

    def _check(self, *, database_attempt: bool) -> None:
        if not database_attempt:
            msg = f"attempt {self.attempt} at unit {self.unit_id} was superseded, so it stops"
            raise StaleWriter(msg, code="RIVET_STATE_LEASE_LOST", remedy="nothing was lost; a later attempt goes on")


def put_file(
    access: LedgerAccess, key: str, path: Path, *, size: int, md5: str, stop: threading.Event | None = None
) -> PutReceipt:
    """Put one file and compare the receipt with what was sent; the local file is gone afterwards.

    :raises RivetError: what the destination says, ``RIVET_DEST_UPLOAD_CORRUPTED``, or ``RIVET_DEST_IO_FAILED``.
    """
    tries = itertools.count(1)
    put = partial(_put_once, access, key, path, size=size)
    receipt = attempted(access, key, lambda: put(retried=next(tries) > 1), stop=stop)
    if receipt.size != size or (receipt.md5 is not None and receipt.md5 != md5):
        msg = f"the stored object {key} is not what was sent"
        raise EnvironmentFailure(
            msg,
            code="RIVET_DEST_UPLOAD_CORRUPTED",
            remedy="run the same command again: nothing that was recorded is read again",
            transient=True,
        )
    path.unlink(missing_ok=True)
    return receipt


def _put_once(access: LedgerAccess, key: str, path: Path, *, size: int, retried: bool) -> PutReceipt:
    try:
        return access.destination.put(key, path, create=access.capabilities.conditional_create)
    except RivetError as error:
        # A put that reported failure may have landed: nobody else uses this name, so the same size is our object.
        if not (retried and error.code == "RIVET_DEST_OBJECT_EXISTS" and access.capabilities.readable):
            raise
        found = access.destination.stat(key)
        if found is None or found.size != size:
            raise
        return PutReceipt(key=key, size=found.size, etag=found.etag, md5=found.md5)
