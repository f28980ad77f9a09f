"""Every statement that changes the state. Only the ledger imports this module; it runs in the ledger's transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from rivet_core.state.database import StateDatabase
    from rivet_core.state.rows import PartRow

# -- leases -------------------------------------------------------------------


def grant_lease(database: StateDatabase, key: str, holder: str, now: str) -> int:
    """Raise the lease's fencing token and return it."""
    database.execute(
        "INSERT INTO lease (key, token, holder, granted_at) VALUES (?, 1, ?, ?) "
        "ON CONFLICT (key) DO UPDATE SET token = token + 1, holder = excluded.holder, granted_at = excluded.granted_at",
        (key, holder, now),
    )
    return int(database.rows("SELECT token FROM lease WHERE key = ?", (key,))[0][0])


def lease_holds(database: StateDatabase, key: str, token: int) -> bool:
    """Return whether nobody was granted the lease since."""
    return database.rows("SELECT 1 FROM lease WHERE key = ? AND token = ?", (key, token)) != []


# -- exports and runs ---------------------------------------------------------


def ensure_export(database: StateDatabase, name: str, source: str) -> None:
    """Make the export's row when it is absent."""
    database.execute("INSERT INTO export (name, source) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, source))


def insert_run(
    database: StateDatabase,
    run_id: str,
    *,
    export_id: int,
    generation: int,
    token: int,
    fingerprint: str,
    frozen: str,
    now: str,
) -> None:
    """Open a run and its first roll."""
    database.execute(
        "INSERT INTO run (id, export_id, phase, generation, token, fingerprint, frozen, opened_at) "
        "VALUES (?, ?, 'open', ?, ?, ?, ?, ?)",
        (run_id, export_id, generation, token, fingerprint, frozen, now),
    )
    database.execute("INSERT INTO roll (run_id, number, phase) VALUES (?, 0, 'reading')", (run_id,))


def take_run(database: StateDatabase, run_id: str, token: int) -> None:
    """Hand the run to the holder of a new token."""
    database.execute("UPDATE run SET token = ? WHERE id = ?", (token, run_id))


def close_run(database: StateDatabase, run_id: str, status: str, now: str) -> None:
    """Close the run with its final status."""
    database.execute(
        "UPDATE run SET phase = 'closed', status = ?, closed_at = ? WHERE id = ? AND phase = 'open'",
        (status, now, run_id),
    )


# -- units and parts ----------------------------------------------------------


def insert_unit(database: StateDatabase, run_id: str, unit_id: str, ordinal: int, request: str) -> None:
    """Store a unit before anything of the run is read."""
    database.execute(
        "INSERT INTO unit (run_id, id, ordinal, request) VALUES (?, ?, ?, ?)", (run_id, unit_id, ordinal, request)
    )


def raise_attempt(database: StateDatabase, run_id: str, unit_id: str) -> int:
    """Begin another attempt at a unit and return its number."""
    database.execute(
        "UPDATE unit SET attempt = attempt + 1 WHERE run_id = ? AND id = ? AND done = 0", (run_id, unit_id)
    )
    return int(database.rows("SELECT attempt FROM unit WHERE run_id = ? AND id = ?", (run_id, unit_id))[0][0])


def attempt_holds(database: StateDatabase, run_id: str, unit_id: str, attempt: int) -> bool:
    """Return whether this is still the unit's attempt, of an open run, and the unit is not done."""
    statement = (
        "SELECT 1 FROM unit u JOIN run r ON r.id = u.run_id "
        "WHERE u.run_id = ? AND u.id = ? AND u.attempt = ? AND u.done = 0 AND r.phase = 'open'"
    )
    return database.rows(statement, (run_id, unit_id, attempt)) != []


def insert_part(database: StateDatabase, run_id: str, part: PartRow, counters: str) -> None:
    """Record the intent to put a part.

    :param counters: JSON text.
    """
    names = [field.name for field in attrs.fields(type(part))]
    database.execute(
        f"INSERT INTO part (run_id, counters, {', '.join(names)}) VALUES ({', '.join('?' * (len(names) + 2))})",
        (run_id, counters, *attrs.astuple(part)),
    )


def next_sequence(database: StateDatabase, run_id: str, unit_id: str) -> int:
    """Return the sequence number that the unit's next recorded part must have."""
    # The last number and not the count, which takes the longer the more parts there are.
    statement = "SELECT max(sequence) FROM part WHERE run_id = ? AND unit_id = ? AND state = 'recorded'"
    last = database.rows(statement, (run_id, unit_id))[0][0]
    return 0 if last is None else int(last) + 1


def record_part(
    database: StateDatabase, run_id: str, key: str, *, etag: str | None, store_md5: str | None, now: str
) -> bool:
    """Record that a part is durable; return whether its intent was there."""
    cursor = database.execute(
        "UPDATE part SET state = 'recorded', etag = ?, store_md5 = ?, recorded_at = ? "
        "WHERE run_id = ? AND key = ? AND state = 'intended'",
        (etag, store_md5, now, run_id, key),
    )
    return cursor.rowcount == 1


def forget_distinct(database: StateDatabase, run_id: str, roll: int | None = None) -> None:
    """Forget what parts kept of unique columns, of one roll or all: it is large, and nothing is judged any more."""
    chosen, parameters = ("", ()) if roll is None else (" AND roll = ?", (roll,))
    # A state at a time, since only then its index answers: a run of many rolls must not look at all parts after each.
    for state in ("recorded", "intended"):
        database.execute(
            "UPDATE part SET counters = json_remove(counters, '$.distinct') WHERE run_id = ? "
            f"AND state = '{state}'{chosen} AND json_type(counters, '$.distinct') IS NOT NULL",
            (run_id, *parameters),
        )


def set_quarantined(database: StateDatabase, run_id: str, key: str) -> None:
    """Record that an orphan was moved aside, and forget what it kept of unique columns."""
    database.execute(
        "UPDATE part SET state = 'quarantined', counters = json_remove(counters, '$.distinct') "
        "WHERE run_id = ? AND key = ?",
        (run_id, key),
    )


def move_mark(database: StateDatabase, run_id: str, unit_id: str, mark: str | None, *, done: bool) -> None:
    """Move the unit's mark, where one is given, and perhaps complete the unit."""
    database.execute(
        "UPDATE unit SET mark = coalesce(?, mark), done = ? WHERE run_id = ? AND id = ?",
        (mark, int(done), run_id, unit_id),
    )


# -- sealing ------------------------------------------------------------------


def begin_sealing(database: StateDatabase, run_id: str, roll: int, *, final: bool, verdict: str, facts: str) -> None:
    """Record the roll's verdict; from here on it only completes."""
    database.execute(
        "UPDATE roll SET phase = 'sealing', final = ?, verdict = ?, facts = ? "
        "WHERE run_id = ? AND number = ? AND phase = 'reading'",
        (int(final), verdict, facts, run_id, roll),
    )


def insert_sealing(database: StateDatabase, run_id: str, roll: int, dataset: str, key: str, data: bytes) -> None:
    """Record a manifest's exact bytes."""
    database.execute(
        "INSERT INTO sealing (run_id, roll, dataset, key, bytes) VALUES (?, ?, ?, ?, ?)",
        (run_id, roll, dataset, key, data),
    )


def record_manifest(
    database: StateDatabase, run_id: str, roll: int, dataset: str, *, key: str, digest: str, now: str
) -> None:
    """Record that a manifest is durable."""
    database.execute(
        "INSERT INTO manifest (run_id, roll, dataset, key, digest, recorded_at) VALUES (?, ?, ?, ?, ?, ?)",
        (run_id, roll, dataset, key, digest, now),
    )


def end_sealing(database: StateDatabase, run_id: str, roll: int) -> None:
    """Mark the roll as sealed."""
    database.execute("UPDATE roll SET phase = 'sealed' WHERE run_id = ? AND number = ?", (run_id, roll))


def open_roll(database: StateDatabase, run_id: str, roll: int, generation: int) -> None:
    """Open the next roll of a run, on the export's new generation."""
    database.execute("INSERT INTO roll (run_id, number, phase) VALUES (?, ?, 'reading')", (run_id, roll))
    database.execute("UPDATE run SET generation = ? WHERE id = ?", (generation, run_id))


# -- the export's own state ---------------------------------------------------


def replace_position(
    database: StateDatabase,
    export_id: int,
    generation: int,
    *,
    position: str,
    facts: str,
    run_id: str,
    roll: int,
    dataset: str,
) -> None:
    """Point the export's position at a recorded manifest; the caller has swapped the generation in this transaction."""
    database.execute(
        "UPDATE export SET position = ?, position_facts = ?, position_run = ?, position_roll = ?, "
        "position_dataset = ? WHERE id = ? AND generation = ?",
        (position, facts, run_id, roll, dataset, export_id, generation),
    )


def swap_generation(database: StateDatabase, export_id: int, expected: int) -> bool:
    """Raise the export's generation if it is still the one that was read at open; return whether it was."""
    cursor = database.execute(
        "UPDATE export SET generation = generation + 1 WHERE id = ? AND generation = ?", (export_id, expected)
    )
    return cursor.rowcount == 1


def replace_baselines(database: StateDatabase, export_id: int, *, drift: str, shape: str) -> None:
    """Replace what the next run's schema and widths are compared with."""
    database.execute("UPDATE export SET drift = ?, shape = ? WHERE id = ?", (drift, shape, export_id))


def set_pending_ack(database: StateDatabase, export_id: int, position: str | None) -> None:
    """Remember that the source is still to be told, or that it was."""
    database.execute("UPDATE export SET pending_ack = ? WHERE id = ?", (position, export_id))


def forget_position(database: StateDatabase, export_id: int) -> None:
    """Reset the export: its next run starts from the beginning."""
    database.execute(
        "UPDATE export SET position = NULL, position_facts = NULL, position_run = NULL, position_roll = NULL, "
        "position_dataset = NULL, drift = NULL, shape = NULL, generation = generation + 1 WHERE id = ?",
        (export_id,),
    )


# -- records of what happened -------------------------------------------------


def append_journal(database: StateDatabase, run_id: str, at: str, event: str) -> None:
    """Append an event to the run's journal."""
    database.execute(
        "INSERT INTO journal (run_id, sequence, at, event) "
        "SELECT ?, coalesce(max(sequence) + 1, 0), ?, ? FROM journal WHERE run_id = ?",
        (run_id, at, event, run_id),
    )


def record_outcome(database: StateDatabase, run_id: str, now: str, metrics: str) -> None:
    """Record what the run came to; a resumed run replaces it."""
    database.execute(
        "INSERT INTO outcome (run_id, recorded_at, metrics) VALUES (?, ?, ?) "
        "ON CONFLICT (run_id) DO UPDATE SET recorded_at = excluded.recorded_at, metrics = excluded.metrics",
        (run_id, now, metrics),
    )
