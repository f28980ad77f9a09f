"""The ledger of one open run: its units, its rolls, its records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from rivet_core.errors import InternalError
from rivet_core.ledger.orphans import quarantine
from rivet_core.ledger.unit import UnitLedger
from rivet_core.manifest.counters import PartCounters
from rivet_core.requests import decode_unit
from rivet_core.state import _writes, reads
from rivet_core.types import Position

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivet_core.events import Event
    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.ledger.opening import RunShape
    from rivet_core.requests import Unit
    from rivet_core.state.rows import PartRow
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
        return len(reads.units(self.access.database, self.run_id))

    def begin(self, unit_id: str) -> UnitLedger:
        """Begin another attempt at a unit; whatever an earlier one still writes is refused from here on."""
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

    def recorded(self, dataset: str | None = None) -> list[PartRow]:
        """Return the open roll's recorded parts, of one dataset or all, in the order of units and sequence."""
        parts = reads.parts(self.access.database, self.run_id, "recorded", self.roll)
        return [part for part in parts if dataset is None or part.dataset == dataset]

    def counters(self, dataset: str | None = None) -> PartCounters:
        """Return the merged counters of the open roll's recorded parts, those of earlier processes included."""
        return merged_counters(self.recorded(dataset))

    def all_recorded(self) -> list[PartRow]:
        """Return the recorded parts of all rolls."""
        return reads.parts(self.access.database, self.run_id)

    def position(self) -> Position | None:
        """Return the run's position: the last mark of the highest ordinal that has one."""
        marks = [row.mark for row in reads.units(self.access.database, self.run_id) if row.mark is not None]
        return Position.from_json(json.loads(marks[-1])) if marks else None

    def complete(self) -> bool:
        """Return whether every unit is done; a run that is not is never sealed."""
        return all(row.done for row in reads.units(self.access.database, self.run_id))

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


def merged_counters(parts: list[PartRow]) -> PartCounters:
    """Return the counters of all these parts together."""
    total = PartCounters()
    for part in parts:
        total = total.merge(PartCounters.from_json(part.counters))
    return total
