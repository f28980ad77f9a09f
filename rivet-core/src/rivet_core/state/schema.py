"""The tables of the state database.

Constraints carry the ledger's rules where SQL can: a position needs a recorded manifest, an export has one unfinished
run, a unit's parts are recorded once a sequence number. One run has n datasets and n rolls from the first day.
"""

from __future__ import annotations

from typing import Final

#: ``PRAGMA application_id``: marks the file as ours.
APPLICATION_ID: Final = 0x52565459
#: ``PRAGMA user_version``.
VERSION: Final = 1

TABLES: Final = (
    """
    CREATE TABLE export (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        source TEXT NOT NULL,
        generation INTEGER NOT NULL DEFAULT 0,
        position TEXT,
        position_facts TEXT,
        position_run TEXT,
        position_roll INTEGER,
        position_dataset TEXT,
        drift TEXT,
        shape TEXT,
        pending_ack TEXT,
        UNIQUE (name, source),
        CHECK ((position IS NULL) = (position_run IS NULL)),
        CHECK ((position IS NULL) = (position_facts IS NULL)),
        FOREIGN KEY (position_run, position_roll, position_dataset) REFERENCES manifest (run_id, roll, dataset)
    ) STRICT
    """,
    """
    CREATE TABLE lease (
        key TEXT PRIMARY KEY,
        token INTEGER NOT NULL,
        holder TEXT NOT NULL,
        granted_at TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE run (
        id TEXT PRIMARY KEY,
        export_id INTEGER NOT NULL REFERENCES export (id),
        phase TEXT NOT NULL CHECK (phase IN ('open', 'closed')),
        status TEXT CHECK (status IN ('success', 'failed', 'abandoned', 'skipped')),
        generation INTEGER NOT NULL,
        token INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        frozen TEXT NOT NULL,
        opened_at TEXT NOT NULL,
        closed_at TEXT,
        CHECK ((phase = 'closed') = (status IS NOT NULL))
    ) STRICT
    """,
    "CREATE UNIQUE INDEX one_unfinished_run ON run (export_id) WHERE phase = 'open'",
    """
    CREATE TABLE unit (
        run_id TEXT NOT NULL REFERENCES run (id),
        id TEXT NOT NULL,
        ordinal INTEGER NOT NULL,
        request TEXT NOT NULL,
        attempt INTEGER NOT NULL DEFAULT 0,
        done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
        mark TEXT,
        PRIMARY KEY (run_id, id),
        UNIQUE (run_id, ordinal)
    ) STRICT
    """,
    """
    CREATE TABLE roll (
        run_id TEXT NOT NULL REFERENCES run (id),
        number INTEGER NOT NULL,
        phase TEXT NOT NULL CHECK (phase IN ('reading', 'sealing', 'sealed')),
        final INTEGER NOT NULL DEFAULT 0 CHECK (final IN (0, 1)),
        verdict TEXT CHECK (verdict IN ('success', 'failed')),
        facts TEXT,
        PRIMARY KEY (run_id, number),
        CHECK ((phase = 'reading') = (verdict IS NULL))
    ) STRICT
    """,
    "CREATE UNIQUE INDEX one_unsealed_roll ON roll (run_id) WHERE phase <> 'sealed'",
    """
    CREATE TABLE part (
        run_id TEXT NOT NULL,
        dataset TEXT NOT NULL,
        key TEXT NOT NULL,
        unit_id TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        roll INTEGER NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('intended', 'recorded', 'quarantined')),
        size INTEGER NOT NULL,
        fingerprint TEXT NOT NULL,
        md5 TEXT NOT NULL,
        rows INTEGER NOT NULL,
        counters TEXT NOT NULL,
        etag TEXT,
        store_md5 TEXT,
        recorded_at TEXT,
        PRIMARY KEY (run_id, key),
        FOREIGN KEY (run_id, unit_id) REFERENCES unit (run_id, id),
        FOREIGN KEY (run_id, roll) REFERENCES roll (run_id, number)
    ) STRICT
    """,
    "CREATE UNIQUE INDEX one_recorded_part ON part (run_id, unit_id, sequence) WHERE state = 'recorded'",
    "CREATE INDEX recorded_parts ON part (run_id, roll, dataset) WHERE state = 'recorded'",
    "CREATE INDEX intended_parts ON part (run_id, unit_id) WHERE state = 'intended'",
    """
    CREATE TABLE sealing (
        run_id TEXT NOT NULL,
        roll INTEGER NOT NULL,
        dataset TEXT NOT NULL,
        key TEXT NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (run_id, roll, dataset),
        FOREIGN KEY (run_id, roll) REFERENCES roll (run_id, number)
    ) STRICT
    """,
    """
    CREATE TABLE manifest (
        run_id TEXT NOT NULL,
        roll INTEGER NOT NULL,
        dataset TEXT NOT NULL,
        key TEXT NOT NULL,
        digest TEXT NOT NULL,
        recorded_at TEXT NOT NULL,
        PRIMARY KEY (run_id, roll, dataset),
        FOREIGN KEY (run_id, roll, dataset) REFERENCES sealing (run_id, roll, dataset)
    ) STRICT
    """,
    """
    CREATE TABLE journal (
        run_id TEXT NOT NULL REFERENCES run (id),
        sequence INTEGER NOT NULL,
        at TEXT NOT NULL,
        event TEXT NOT NULL,
        PRIMARY KEY (run_id, sequence)
    ) STRICT
    """,
    """
    CREATE TABLE outcome (
        run_id TEXT PRIMARY KEY REFERENCES run (id),
        recorded_at TEXT NOT NULL,
        metrics TEXT NOT NULL
    ) STRICT
    """,
)
