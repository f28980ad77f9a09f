from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st
from sink_stand_ins import dataset_plan, ids_in, make_plan, make_recipe, ordered_unit, plain_unit, position, rows

from rivet_core.capabilities import Restart, RollPolicy
from rivet_core.engine.sink import Sink, UnitTask
from rivet_core.engine.sink.counting import counted
from rivet_core.ledger.finished import FinishedPart, RestartPoint
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.fingerprint import content_fingerprint
from rivet_core.planning.plan import Plan
from rivet_core.protocols import Batch

NAMES = ("a", "b", "c")


@attrs.frozen
class Read:
    """What a source yields, and how it is planned."""

    batches: tuple[Batch, ...]
    plan: Plan
    ordered: bool


@st.composite
def reads(draw: st.DrawFn) -> Read:
    count = draw(st.integers(1, 3))
    shapes = st.tuples(st.sampled_from(NAMES[:count]), st.integers(0, 40), st.booleans())
    batches, first = [], 1
    for dataset, size, at_mark in draw(st.lists(shapes, max_size=15)):
        mark = position(first + size) if at_mark else None
        batches.append(Batch(data=rows(first, size), dataset=dataset, mark=mark))
        first += size + 1
    plan = make_plan(
        *(dataset_plan(name=name, checksum_key="id") for name in NAMES[:count]),
        part_bytes=draw(st.sampled_from([1, 200, 1000, 1 << 40])),
        row_group_bytes=draw(st.sampled_from([1, 300, 2000, 1 << 30])),
        restart=draw(st.sampled_from(list(Restart))),
        rolls=draw(st.sampled_from([None, RollPolicy(rows=30, bytes=1 << 40), RollPolicy(rows=1 << 40, bytes=500)])),
        one_part=draw(st.booleans()),
    )
    return Read(tuple(batches), plan, draw(st.booleans()))


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="rivet-sink-"))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def begun(read: Read, staging: Path) -> Sink:
    unit = ordered_unit() if read.ordered else plain_unit()
    return Sink(UnitTask(unit=unit), make_recipe(read.plan, staging))


def yielded(batches: tuple[Batch, ...], dataset: str) -> list[int]:
    return [value for batch in batches if batch.dataset == dataset for value in batch.data["id"].to_pylist()]


@given(read=reads())
@settings(deadline=None, max_examples=min(150, settings().max_examples))
def test_finished_parts_hold_exactly_the_rows_before_each_restart_point(read: Read) -> None:
    names = [dataset.name for dataset in read.plan.datasets]
    found: dict[str, list[int]] = {name: [] for name in names}
    with folder() as staging:
        sink = begun(read, staging)
        for number, batch in enumerate(read.batches, 1):
            for one in sink.write(batch):
                if isinstance(one, FinishedPart):
                    found[one.dataset] += ids_in(one.path)
                else:
                    assert one.mark == batch.mark
                    assert found == {name: yielded(read.batches[:number], name) for name in names}
        *parts, end = sink.end()
        for one in parts:
            assert isinstance(one, FinishedPart)
            found[one.dataset] += ids_in(one.path)
    marks = [batch.mark for batch in read.batches if batch.mark is not None]
    assert end == RestartPoint(mark=marks[-1] if marks else None, done=True)
    assert found == {name: yielded(read.batches, name) for name in names}


@given(read=reads())
@settings(deadline=None, max_examples=min(80, settings().max_examples))
def test_the_parts_counters_add_up_to_the_whole_and_every_part_is_what_it_says(read: Read) -> None:
    totals = {dataset.name: PartCounters() for dataset in read.plan.datasets}
    expected = dict(totals)
    for batch in read.batches:
        if batch.data.num_rows:
            whole = attrs.evolve(
                counted(batch.data, "id"), input_bytes=batch.data.nbytes, largest_batch=batch.data.nbytes
            )
            expected[batch.dataset] = expected[batch.dataset].merge(whole)
    with folder() as staging:
        sink = begun(read, staging)
        produced = [one for batch in read.batches for one in sink.write(batch)] + list(sink.end())
        for part in produced:
            if isinstance(part, FinishedPart):
                content = content_fingerprint(part.path)
                assert (content.size_bytes, content.xxh3, content.md5) == (part.size, part.fingerprint, part.md5)
                assert part.counters.rows == len(ids_in(part.path)) > 0
                totals[part.dataset] = totals[part.dataset].merge(part.counters)
    assert totals == expected


@given(read=reads(), taken=st.integers(0, 40))
@settings(deadline=None, max_examples=min(80, settings().max_examples))
def test_after_an_abort_only_yielded_parts_are_left(read: Read, taken: int) -> None:
    with folder() as staging:
        sink = begun(read, staging)
        owned = set()
        stream = (one for batch in read.batches for one in sink.write(batch))
        for _, one in zip(range(taken), stream, strict=False):
            if isinstance(one, FinishedPart):
                owned.add(one.path)
        stream.close()
        sink.abort()
        assert set(staging.iterdir()) == owned


@given(read=reads())
@settings(deadline=None, max_examples=min(80, settings().max_examples))
def test_one_part_means_one_part_a_dataset(read: Read) -> None:
    read = attrs.evolve(read, plan=attrs.evolve(read.plan, one_part=True))
    with folder() as staging:
        sink = begun(read, staging)
        produced = [one for batch in read.batches for one in sink.write(batch)] + list(sink.end())
    datasets = [one.dataset for one in produced if isinstance(one, FinishedPart)]
    assert len(datasets) == len(set(datasets))
