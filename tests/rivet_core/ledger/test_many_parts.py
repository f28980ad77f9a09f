"""A run of many wide parts: no step looks at all of them for one, and their counters are never in memory together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest

from rivet_core.ledger.finished import FinishedPart, RestartPoint
from rivet_core.ledger.opening import resume
from rivet_core.ledger.run import RunLedger
from rivet_core.ledger.sealing import SealFacts, begin_sealing
from rivet_core.manifest.counters import PartCounters
from rivet_core.state import parts, reads

WIDE = PartCounters(
    rows=3,
    checksums=tuple((f"column_{n:02}", 2**63 + n) for n in range(50)),
    nulls=tuple((f"column_{n:02}", n) for n in range(50)),
    nulled=(("column_00", 2), ("column_07", 1)),
)
FACTS = SealFacts(position=None, position_facts=None, position_dataset="", drift="{}", shape="{}", acknowledge=False)


def record(run: RunLedger, unit: str, folder: Path, *, count: int = 1) -> None:
    """Deliver and record the parts of a unit, and end it."""
    ledger = run.begin(unit)
    for _ in range(count):
        path = folder / "part"
        path.write_bytes(b"part")
        ledger.deliver(
            FinishedPart(dataset="", path=path, size=4, fingerprint="xxh3:0", md5="", counters=WIDE),
        )
        ledger.record(RestartPoint())
    ledger.record(RestartPoint(done=True))


@attrs.define
class Work:
    """What the database does, in hundreds of steps of its machine."""

    steps: int = 0

    def watch(self, state: Any) -> None:
        state._connection.set_progress_handler(self.step, 100)

    def step(self) -> int:
        self.steps += 1
        return 0


@pytest.fixture
def work(state: Any) -> Work:
    counted = Work()
    counted.watch(state)
    return counted


@pytest.mark.slow
def test_a_unit_costs_the_same_however_many_parts_others_have(open_run: Any, work: Work, tmp_path: Path) -> None:
    run = open_run(*(f"u{number}" for number in range(402)))
    record(run, "u0", tmp_path)
    before = work.steps
    record(run, "u1", tmp_path)
    first, before = work.steps - before, work.steps
    for number in range(2, 401):
        record(run, f"u{number}", tmp_path)
    before = work.steps
    record(run, "u401", tmp_path)
    assert work.steps - before <= 2 * first + 5


@pytest.mark.slow
def test_a_part_costs_the_same_however_many_its_unit_has(open_run: Any, work: Work, tmp_path: Path) -> None:
    run = open_run("few", "many")
    before = work.steps
    record(run, "few", tmp_path, count=50)
    few, before = work.steps - before, work.steps
    record(run, "many", tmp_path, count=800)
    assert work.steps - before < 1.5 * 16 * few


@pytest.fixture
def many(open_run: Any, tmp_path: Path) -> RunLedger:
    """A run of 300 parts, all of them recorded."""
    run: RunLedger = open_run("full")
    record(run, "full", tmp_path, count=300)
    return run


def test_counters_come_a_few_at_a_time_and_each_once(many: RunLedger, state: Any) -> None:
    total = many.counters("")
    assert (total.rows, dict(total.nulls)["column_49"]) == (900, 49 * 300)
    assert dict(total.checksums)["column_01"] == (2**63 + 1) * 300 % 2**64
    size = len(WIDE.to_json())
    assert 300 * size <= state.given_text < 301 * size
    assert state.largest_text < 20 * size


def test_nothing_but_the_counters_themselves_reads_counters(many: RunLedger, state: Any) -> None:
    row = reads.unfinished_run(state, many.export_id)
    assert row is not None
    resume(many.access, row, shape=many.shape)
    begin_sealing(many, verdict="success", final=True, facts=FACTS, manifests=())
    assert len(many.recorded("")) == many.totals().parts == 300
    assert many.nulled() == (("column_00", 600), ("column_07", 300))
    assert state.given_counters == 0


def test_pages_bring_every_part_once(many: RunLedger, state: Any) -> None:
    keys = [part.key for part in many.every_recorded()]
    assert keys == [part.key for part in parts.in_order(state, many.run_id)]
    assert len(set(keys)) == 300


def test_the_rows_of_each_unit_are_summed(open_run: Any, tmp_path: Path) -> None:
    run = open_run("few", "many", "none")
    record(run, "few", tmp_path, count=2)
    record(run, "many", tmp_path, count=40)
    assert run.rows_by_unit() == {"few": 6, "many": 120}


def test_parts_that_move_aside_while_they_are_looked_at_are_each_seen(many: RunLedger, state: Any) -> None:
    seen = 0
    for part in parts.recorded(state, many.run_id):
        seen += 1
        with many.access.transaction() as database:
            database.execute("UPDATE part SET state = 'quarantined' WHERE key = ?", (part.key,))
    assert seen == 300
    assert many.all_totals().parts == 0
