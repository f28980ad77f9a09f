"""The ledger of one open run: its units, its rolls, its records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from rivet_core.errors import InternalError
from rivet_core.ledger.orphans import quarantine
from rivet_core.ledger.unit import UnitLedger
from rivet_core.manifest.counters import merged
from rivet_core.requests import decode_unit
from rivet_core.state import _writes, parts, reads
from rivet_core.types import Position

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Mapping

    from rivet_core.events import Event
    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.opening import RunShape
    from rivet_core.manifest.counters import PartCounters
    from rivet_core.requests import Unit
    from rivet_core.state.rows import PartRow, PartTotals
    from rivet_core.types import Column

#: The id of the unit that holds typed empty files; no runner may use it.
EMPTY_UNIT: Final = "empty"


class RunLedger:
    """An open run. Methods may be called from several threads; each :class:`UnitLedger` belongs to one."""

    def __init__(self, access: LedgerAccess, *, run_id: str, export_id: int, shape: RunShape, roll: int) -> None:
        self.access = access
        self.run_id = run_id
        self.export_id = export_id
        self.shape = shape
        self.roll = roll

    def units(self, columns: Mapping[str, Column]) -> list[Unit]:
        """Return the stored units that are not done, in their order.

        :param columns: the plan's, by name.
        """
        return [
            decode_unit(row.request, columns)
            for row in reads.units(self.access.database, self.run_id)
            if not row.done and row.id != EMPTY_UNIT
        ]

    def unit_count(self) -> int:
        """Return how many units the run has, done ones included."""
        return reads.unit_count(self.access.database, self.run_id)

    def begin(self, unit_id: str, *, stop: threading.Event | None = None) -> UnitLedger:
        """Begin another attempt at a unit; whatever an earlier one still writes is refused from here on.

        :param stop: ends the attempt's waits for the destination; without it they end with the run.
        """
        access = self.access
        with access.transaction() as database:
            attempt = _writes.raise_attempt(database, self.run_id, unit_id)
            sequence = _writes.next_sequence(database, self.run_id, unit_id)
        row = reads.unit(access.database, self.run_id, unit_id)
        if row is None:
            msg = f"the state lost the unit {unit_id} of run {self.run_id}"
            raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
        quarantine(access, self.run_id, unit_id=unit_id)
        access.probe("unit_begun")
        return UnitLedger(
            access,
            run_id=self.run_id,
            unit_id=unit_id,
            attempt=attempt,
            mark=None if row.mark is None else Position.from_json(json.loads(row.mark)),
            sequence=sequence,
            prefixes=self.shape.prefixes,
            extension=self.shape.extension,
            roll=self.roll,
            stop=stop,
        )

    def begin_empty(self, request: str) -> UnitLedger | None:
        """Begin the unit that holds the typed empty files of a run without rows, or return None when it is done.

        It is made only when all other units are done, since none of them can know that the run stays empty.

        :param request: the stored form of a unit with the id ``empty`` and the next ordinal.
        """
        rows = {row.id: row for row in reads.units(self.access.database, self.run_id)}
        if EMPTY_UNIT not in rows:
            with self.access.transaction() as database:
                _writes.insert_unit(database, self.run_id, EMPTY_UNIT, len(rows), request)
        elif rows[EMPTY_UNIT].done:
            return None
        return self.begin(EMPTY_UNIT)

    def recorded(self, dataset: str) -> list[PartRow]:
        """Return the open roll's recorded parts of one dataset, in the order of units and sequence."""
        return parts.in_order(self.access.database, self.run_id, roll=self.roll, dataset=dataset)

    def every_recorded(self) -> Iterator[PartRow]:
        """Yield the open roll's recorded parts, in no order that means anything."""
        return parts.recorded(self.access.database, self.run_id, self.roll)

    def counters(self, dataset: str) -> PartCounters:
        """Return the merged counters of a dataset's parts in the open roll, those of earlier processes included."""
        return merged(parts.counters(self.access.database, self.run_id, self.roll, dataset))

    def unconfirmed(self) -> tuple[str, ...]:
        """Return the keys of the open roll's parts whose MD5 the store did not confirm."""
        return parts.unconfirmed(self.access.database, self.run_id, self.roll)

    def totals(self) -> PartTotals:
        """Return what the open roll's recorded parts are together."""
        return parts.totals(self.access.database, self.run_id, self.roll)

    def rows_by_unit(self) -> dict[str, int]:
        """Return, by unit, the rows of its recorded parts in all rolls; units without a part are missing."""
        return parts.rows_by_unit(self.access.database, self.run_id)

    def all_totals(self) -> PartTotals:
        """Return what the recorded parts of all rolls are together."""
        return parts.totals(self.access.database, self.run_id)

    def nulled(self) -> tuple[tuple[str, int], ...]:
        """Return, by column, the cells in the recorded parts of all rolls that became NULL for want of a value."""
        return parts.nulled(self.access.database, self.run_id)

    def position(self) -> Position | None:
        """Return the run's position: the last mark of the highest ordinal that has one."""
        mark = reads.last_mark(self.access.database, self.run_id)
        return None if mark is None else Position.from_json(json.loads(mark))

    def complete(self) -> bool:
        """Return whether every unit is done; a run that is not is never sealed."""
        return reads.all_done(self.access.database, self.run_id)

    def skip(self) -> None:
        """Close a run without rows as skipped; the prefix stays untouched."""
        with self.access.transaction() as database:
            _writes.close_run(database, self.run_id, "skipped", self.access.now())

    def note(self, event: Event) -> None:
        """Let an event enter the journal with the next durable step."""
        self.access.note(event)

    def record_outcome(self, metrics: str) -> None:
        """Step 11: record what the run came to, and the last events.

        :param metrics: JSON text.
        """
        with self.access.transaction() as database:
            _writes.record_outcome(database, self.run_id, self.access.now(), metrics)
        self.access.probe("outcome_recorded")
