from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from rivet_core.engine.narrowing import Narrowing
from rivet_core.ledger.finished import FinishedPart
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.distinct import Distinct, distinct_values

# Its own process, since the peak of a test session says nothing about one test.
CHILD = """
import resource
import numpy as np
import pyarrow as pa
from rivet_core.engine.sink.counting import counted
from rivet_core.manifest.counters import PartCounters

most, rows = 200_000, 100_000
total = PartCounters()
def some(number):
    ids = np.arange(number * rows, (number + 1) * rows)
    return pa.record_batch({"id": pa.array(ids)})
for number in range(4):
    total = total.merge(counted(some(number), None, unique=("id",), most=most))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for number in range(4, 100):
    total = total.merge(counted(some(number), None, unique=("id",), most=most))
(column, values), = total.distinct
assert (values.kept, values.repeated, values.rows) == (most, 0, 100 * rows)
assert len(total.to_json()) < 12 * most
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
def test_ten_million_different_values_take_the_memory_of_a_few_hundred_thousand() -> None:
    # All of them would be 80 MB, and several times that while they are merged.
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 20


def part(number: int, rows: int, most: int) -> FinishedPart:
    values = distinct_values(pa.array(range(number * rows, (number + 1) * rows)), most)
    counters = PartCounters(rows=rows, distinct=(("id", values),))
    return FinishedPart(dataset="", path=Path("none"), size=0, fingerprint="", md5="", counters=counters)


def test_what_all_parts_of_a_run_keep_stays_near_one_bound() -> None:
    narrowing, most, parts = Narrowing(), 1000, 100
    kept = [narrowing.narrowed(part(number, 1000, most)).counters.distinct[0][1] for number in range(parts)]
    # Each alone would keep 1000: the sum is that of 1/1, 1/2, … 1/100 of them.
    assert sum(values.kept for values in kept) < 7 * most
    total = Distinct(most=most)
    for values in kept:
        total = total.merge(values)
    assert (total.kept, total.repeated) == (most, 0)
    assert 0.85 < total.estimate / (parts * 1000) < 1.15


def test_many_small_parts_keep_as_little_and_say_the_same() -> None:
    narrowing, most, parts = Narrowing(), 1000, 1000
    kept = [narrowing.narrowed(part(number, 10, most)).counters.distinct[0][1] for number in range(parts)]
    assert sum(values.kept for values in kept) < 6 * most
    total = Distinct(most=most)
    for values in kept:
        total = total.merge(values)
    assert total.digests == distinct_values(pa.array(range(parts * 10)), most).digests


def test_a_part_without_unique_columns_passes_as_it_is() -> None:
    plain = FinishedPart(dataset="", path=Path("none"), size=0, fingerprint="", md5="", counters=PartCounters(rows=1))
    assert Narrowing().narrowed(plain) is plain
