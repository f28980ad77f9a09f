"""Questions to the state; nothing here writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from rivet_core.state.rows import ExportRow, FileRow, OutcomeRow, RollRow, RunRow, SealingRow, UnitRow

if TYPE_CHECKING:
    from rivet_core.state.database import StateDatabase


def _columns(row: type[attrs.AttrsInstance]) -> str:
    return ", ".join(field.name for field in attrs.fields(row))


def find_export(database: StateDatabase, name: str, source: str) -> ExportRow | None:
    """Return the export's row on one source."""
    rows = database.rows(f"SELECT {_columns(ExportRow)} FROM export WHERE name = ? AND source = ?", (name, source))
    return ExportRow(*rows[0]) if rows else None


def exports(database: StateDatabase) -> list[ExportRow]:
    """Return every export's row, by name."""
    return [ExportRow(*row) for row in database.rows(f"SELECT {_columns(ExportRow)} FROM export ORDER BY name, source")]


def unfinished_run(database: StateDatabase, export_id: int) -> RunRow | None:
    """Return the export's open run; there is at most one."""
    rows = database.rows(f"SELECT {_columns(RunRow)} FROM run WHERE export_id = ? AND phase = 'open'", (export_id,))
    return RunRow(*rows[0]) if rows else None


def run(database: StateDatabase, run_id: str) -> RunRow | None:
    """Return one run."""
    rows = database.rows(f"SELECT {_columns(RunRow)} FROM run WHERE id = ?", (run_id,))
    return RunRow(*rows[0]) if rows else None


def units(database: StateDatabase, run_id: str) -> list[UnitRow]:
    """Return the run's units in their order."""
    rows = database.rows(f"SELECT {_columns(UnitRow)} FROM unit WHERE run_id = ? ORDER BY ordinal", (run_id,))
    return [_unit(row) for row in rows]


def _unit(row: tuple[Any, ...]) -> UnitRow:
    return UnitRow(row[0], row[1], row[2], row[3], bool(row[4]), row[5])


def unit(database: StateDatabase, run_id: str, unit_id: str) -> UnitRow | None:
    """Return one unit of the run."""
    rows = database.rows(f"SELECT {_columns(UnitRow)} FROM unit WHERE run_id = ? AND id = ?", (run_id, unit_id))
    return _unit(rows[0]) if rows else None


def unit_count(database: StateDatabase, run_id: str) -> int:
    """Return how many units the run has."""
    return int(database.rows("SELECT count(*) FROM unit WHERE run_id = ?", (run_id,))[0][0])


def all_done(database: StateDatabase, run_id: str) -> bool:
    """Return whether no unit of the run is left to be read."""
    return database.rows("SELECT 1 FROM unit WHERE run_id = ? AND done = 0 LIMIT 1", (run_id,)) == []


def last_mark(database: StateDatabase, run_id: str) -> str | None:
    """Return the mark of the highest ordinal that has one."""
    statement = "SELECT mark FROM unit WHERE run_id = ? AND mark IS NOT NULL ORDER BY ordinal DESC LIMIT 1"
    found = database.rows(statement, (run_id,))
    return found[0][0] if found else None


def rolls(database: StateDatabase, run_id: str) -> list[RollRow]:
    """Return the run's rolls in their order."""
    rows = database.rows(f"SELECT {_columns(RollRow)} FROM roll WHERE run_id = ? ORDER BY number", (run_id,))
    return [RollRow(row[0], row[1], bool(row[2]), row[3], row[4]) for row in rows]


def has_recorded(database: StateDatabase, run_id: str) -> bool:
    """Return whether abandoning the run would lose durable work."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM part WHERE run_id = ? AND state = 'recorded') "
        "OR EXISTS (SELECT 1 FROM unit WHERE run_id = ? AND (done = 1 OR mark IS NOT NULL))"
    )
    return bool(database.rows(statement, (run_id, run_id))[0][0])


def sealing(database: StateDatabase, run_id: str, roll: int) -> list[SealingRow]:
    """Return the manifests of a roll, by dataset."""
    statement = f"SELECT {_columns(SealingRow)} FROM sealing WHERE run_id = ? AND roll = ? ORDER BY dataset"
    return [SealingRow(*row) for row in database.rows(statement, (run_id, roll))]


def runs(database: StateDatabase, export: str | None, limit: int, *, unfinished: bool = False) -> list[OutcomeRow]:
    """Return the latest runs, the newest first.

    :param unfinished: only open ones.
    """
    statement = (
        "SELECT r.id, e.name, e.source, r.phase, r.status, r.opened_at, r.closed_at, o.metrics FROM run r "
        "JOIN export e ON e.id = r.export_id LEFT JOIN outcome o ON o.run_id = r.id "
        "WHERE (? IS NULL OR e.name = ?) AND (NOT ? OR r.phase = 'open') "
        "ORDER BY r.opened_at DESC, r.rowid DESC LIMIT ?"
    )
    return [OutcomeRow(*row) for row in database.rows(statement, (export, export, int(unfinished), limit))]


def files(database: StateDatabase, export: str | None, limit: int) -> list[FileRow]:
    """Return the latest recorded parts, the newest first."""
    statement = (
        "SELECT p.run_id, e.name, p.dataset, p.key, p.rows, p.size, p.fingerprint, p.recorded_at FROM part p "
        "JOIN run r ON r.id = p.run_id JOIN export e ON e.id = r.export_id "
        "WHERE p.state = 'recorded' AND (? IS NULL OR e.name = ?) "
        "ORDER BY p.recorded_at DESC, p.rowid DESC LIMIT ?"
    )
    return [FileRow(*row) for row in database.rows(statement, (export, export, limit))]


def journal(database: StateDatabase, run_id: str) -> list[tuple[str, str]]:
    """Return the run's journal: instant and event as JSON text, in order."""
    statement = "SELECT at, event FROM journal WHERE run_id = ? ORDER BY sequence"
    return [(row[0], row[1]) for row in database.rows(statement, (run_id,))]
