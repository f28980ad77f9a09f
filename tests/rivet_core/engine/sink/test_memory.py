from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Its own process, since the peak of a test session says nothing about one test.
CHILD = """
import resource, sys
from pathlib import Path
import pyarrow as pa
import sink_stand_ins as s
from rivet_core.engine.produce import UnitTask, produce
from rivet_core.ledger.finished import FinishedPart

count = 60_000
data = pa.record_batch({
    "id": pa.array(range(count), pa.int64()),
    "amount": pa.array([i * 0.5 for i in range(count)]),
    "name": pa.array([f"name {i:>20}" for i in range(count)]),
    "note": pa.array(["note " * 40] * count),
})
dataset = s.dataset_plan(data.schema, exported_at=True, row_hash=tuple(data.schema.names), checksum_key="id")
plan = s.make_plan(dataset, part_bytes=128 << 20, row_group_bytes=48 << 20)
times = (1 << 30) // data.nbytes + 1
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rows = 0
source, recipe = s.GeneratedSource(data, times=times), s.make_recipe(plan, Path(sys.argv[1]))
for one in produce(source, UnitTask(unit=s.plain_unit()), recipe):
    if isinstance(one, FinishedPart):
        rows += one.counters.rows
        one.path.unlink()
assert rows == times * count
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_a_relation_of_a_gigabyte_passes_through_a_few_row_groups_of_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 250
