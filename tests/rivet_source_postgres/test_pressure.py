"""How hard the server works is counted by its requested checkpoints."""

from __future__ import annotations

import time
from typing import Any

from rivet_core.requests import Budget, ReadContext, ReadRequest
from rivet_core.types import Table


def grown(room: Any, before: int, seconds: float = 10.0) -> bool:
    """Whether the source tells of more pressure; the server publishes its counters some time later."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if room.own.pressure() > before:
            return True
        time.sleep(0.05)
    return False


def test_a_requested_checkpoint_is_pressure(room: Any) -> None:
    before = room.own.pressure()
    room.run_sql("CHECKPOINT")
    assert grown(room, before)


def test_pressure_is_seen_while_a_read_is_open(room: Any) -> None:
    room.run_sql("CREATE TABLE many AS SELECT g AS id FROM generate_series(1, 50000) g")
    columns = tuple(room.columns(Table("many")).values())
    request = ReadRequest(relation=Table("many"), columns=columns, budget=Budget(bytes=64 * 1024, rows=1000))
    with room.own.read(request, ReadContext()) as batches:
        rows = next(batches).data.num_rows
        before = room.own.pressure()
        room.run_sql("CHECKPOINT")
        assert grown(room, before)
        assert rows + sum(batch.data.num_rows for batch in batches) == 50000
