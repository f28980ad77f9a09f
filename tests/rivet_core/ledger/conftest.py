"""A ledger over a state file and a destination in memory, without an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.ledger.access import LedgerAccess
from rivet_core.ledger.frozen import FrozenValues
from rivet_core.ledger.lease import hold
from rivet_core.ledger.opening import RunShape, find_or_make_export, open_new
from rivet_core.ledger.run import RunLedger
from rivet_core.requests import ReadRequest, Unit
from rivet_core.state import StateDatabase
from rivet_core.testing import MemoryDestination, MemoryOptions, MemoryStore
from rivet_core.types import Table

NOW = datetime(2026, 3, 4, tzinfo=UTC)

OpenRun = Callable[..., RunLedger]


class WatchedState(StateDatabase):
    """A state that counts what it gave: rows, bytes of text, the largest answer, and counters of parts."""

    given = 0
    given_text = 0
    largest_text = 0
    given_counters = 0

    def rows(self, statement: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        found = super().rows(statement, parameters)
        texts = [value for row in found for value in row if isinstance(value, str)]
        size = sum(map(len, texts))
        self.given += len(found)
        self.given_text += size
        self.largest_text = max(self.largest_text, size)
        self.given_counters += sum('"checksums"' in text for text in texts)
        return found


@pytest.fixture
def state(tmp_path: Path) -> Iterator[WatchedState]:
    with WatchedState(tmp_path / "state.sqlite") as database:
        yield database


@pytest.fixture
def access(state: WatchedState) -> Iterator[LedgerAccess]:
    destination = MemoryDestination(MemoryOptions(store=MemoryStore()))
    with hold(state, ("export things",), wait_seconds=0, now=NOW) as fence:
        yield LedgerAccess(
            database=state,
            destination=destination,
            capabilities=DestinationCapabilities(),
            fence=fence,
            clock=lambda: NOW,
        )


@pytest.fixture
def open_run(access: LedgerAccess) -> OpenRun:
    """Open a run with units of these ids."""

    def make(*ids: str) -> RunLedger:
        request = ReadRequest(relation=Table("things"))
        return open_new(
            access,
            find_or_make_export(access, "things", "source"),
            run_id="run",
            shape=RunShape(fingerprint="{}", prefixes={"": ""}, extension="parquet"),
            frozen=FrozenValues(started=NOW, prefix="", uri="memory:", relation="things"),
            units=[Unit(id=name, ordinal=number, request=request) for number, name in enumerate(ids)],
        )

    return make
