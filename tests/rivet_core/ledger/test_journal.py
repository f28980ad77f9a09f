from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import attrs
import pytest

from rivet_core.events import UnitDone
from rivet_core.ledger.access import LedgerAccess
from rivet_core.state import StateDatabase, reads


class Overtaken(StateDatabase):
    """A state whose first transaction is overtaken by another thread's as soon as it is durable."""

    overtake: Any = None

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        with super().transaction():
            yield self
        overtake, self.overtake = self.overtake, None
        if overtake is not None:
            thread = threading.Thread(target=overtake)
            thread.start()
            thread.join()


def test_each_event_is_written_once_though_another_thread_is_quicker(open_run: Any, access: LedgerAccess) -> None:
    run = open_run("full")
    with Overtaken(access.database.path) as database:
        mine = attrs.evolve(access, database=database)
        mine.note(UnitDone(export="things", run_id=run.run_id, unit="first"))

        def overtake() -> None:
            mine.note(UnitDone(export="things", run_id=run.run_id, unit="second"))
            with mine.transaction():
                mine.note(UnitDone(export="things", run_id=run.run_id, unit="third"))

        database.overtake = overtake
        with mine.transaction():
            pass
        with mine.transaction():
            pass
        written = [json.loads(event)["unit"] for _, event in reads.journal(database, run.run_id)]
    assert written == ["first", "second", "third"]


def test_the_events_of_a_step_that_failed_enter_with_the_next_one(
    open_run: Any, access: LedgerAccess, tmp_path: Path
) -> None:
    del tmp_path
    run = open_run("full")
    access.note(UnitDone(export="things", run_id=run.run_id, unit="first"))
    with pytest.raises(KeyError), access.transaction():
        raise KeyError
    with access.transaction():
        pass
    assert [json.loads(event)["unit"] for _, event in reads.journal(access.database, run.run_id)] == ["first"]
