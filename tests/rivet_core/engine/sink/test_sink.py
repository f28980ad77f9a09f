from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest
from sink_stand_ins import (
    NOW,
    SCHEMA,
    dataset_plan,
    ids_in,
    make_plan,
    make_recipe,
    ordered_unit,
    plain_unit,
    position,
    rows,
)

from rivet_core.capabilities import Restart, RollPolicy
from rivet_core.engine.sink import Recipe, Sink, UnitTask, empty_part
from rivet_core.errors import InternalError
from rivet_core.ledger.finished import FinishedPart, Produced, RestartPoint
from rivet_core.manifest.counters import PartCounters
from rivet_core.planning.plan import EXPORTED_AT, Plan
from rivet_core.protocols import Batch
from rivet_core.requests import Unit
from rivet_core.types import Position

TEN = rows(1, 10).nbytes


def marked(first: int, count: int, *, dataset: str = "") -> Batch:
    return Batch(data=rows(first, count), dataset=dataset, mark=position(first + count - 1))


def unmarked(first: int, count: int, *, dataset: str = "") -> Batch:
    return Batch(data=rows(first, count), dataset=dataset)


def begun(plan: Plan, folder: Path, unit: Unit | None = None, mark: Position | None = None) -> Sink:
    return Sink(UnitTask(unit=unit or ordered_unit(), mark=mark), make_recipe(plan, folder))


def outline(produced: Iterable[Produced]) -> list[object]:
    """A finished part as its ids, a restart point as itself."""
    return [ids_in(one.path) if isinstance(one, FinishedPart) else one for one in produced]


def run(sink: Sink, batches: Iterable[Batch]) -> list[object]:
    shown: list[object] = []
    for batch in batches:
        shown += outline(sink.write(batch))
    return [*shown, *outline(sink.end())]


def test_small_pages_share_a_part(tmp_path: Path) -> None:
    sink = begun(make_plan(part_bytes=2 * TEN), tmp_path)
    assert run(sink, [marked(1, 10), marked(11, 10), marked(21, 5)]) == [
        list(range(1, 21)),
        RestartPoint(mark=position(20)),
        list(range(21, 26)),
        RestartPoint(mark=position(25), done=True),
    ]


def test_a_part_waits_for_a_mark_beyond_its_target(tmp_path: Path) -> None:
    sink = begun(make_plan(part_bytes=1), tmp_path)
    assert run(sink, [unmarked(1, 10), unmarked(11, 10), marked(21, 1)]) == [
        list(range(1, 22)),
        RestartPoint(mark=position(21)),
        RestartPoint(mark=position(21), done=True),
    ]


def test_a_plain_scan_closes_parts_but_can_only_restart_at_its_end(tmp_path: Path) -> None:
    sink = begun(make_plan(part_bytes=1, restart=Restart.UNIT), tmp_path, plain_unit())
    assert run(sink, [unmarked(1, 2), unmarked(3, 2)]) == [[1, 2], [3, 4], RestartPoint(done=True)]


def test_marks_of_a_source_that_restarts_units_are_no_restart_points(tmp_path: Path) -> None:
    sink = begun(make_plan(part_bytes=1, restart=Restart.UNIT), tmp_path)
    assert run(sink, [marked(1, 2), marked(3, 2)]) == [[1, 2], [3, 4], RestartPoint(mark=position(4), done=True)]


def test_one_part_stays_one_part(tmp_path: Path) -> None:
    sink = begun(make_plan(part_bytes=1, one_part=True, row_group_bytes=1), tmp_path)
    assert run(sink, [marked(1, 2), marked(3, 2)]) == [[1, 2, 3, 4], RestartPoint(mark=position(4), done=True)]


def test_a_mark_without_rows_moves_on_for_free(tmp_path: Path) -> None:
    sink = begun(make_plan(), tmp_path)
    idle = Batch(data=rows(1, 0), mark=position(7))
    assert run(sink, [idle, idle]) == [RestartPoint(mark=position(7)), RestartPoint(mark=position(7), done=True)]


def test_a_mark_without_rows_waits_while_earlier_rows_lie_in_an_open_part(tmp_path: Path) -> None:
    sink = begun(make_plan(), tmp_path)
    idle = Batch(data=rows(1, 0), mark=position(7))
    assert run(sink, [marked(1, 2), idle]) == [[1, 2], RestartPoint(mark=position(7), done=True)]


def test_a_resumed_unit_without_further_rows_keeps_its_mark(tmp_path: Path) -> None:
    sink = begun(make_plan(), tmp_path, mark=position(9))
    assert run(sink, []) == [RestartPoint(mark=position(9), done=True)]


def test_a_restart_point_closes_the_parts_of_every_dataset(tmp_path: Path) -> None:
    plan = make_plan(dataset_plan(name="a"), dataset_plan(name="b"), part_bytes=TEN)
    sink = begun(plan, tmp_path)
    assert run(sink, [unmarked(1, 2, dataset="b"), marked(11, 10, dataset="a")]) == [
        list(range(11, 21)),
        [1, 2],
        RestartPoint(mark=position(20)),
        RestartPoint(mark=position(20), done=True),
    ]


def test_a_roll_ends_at_the_first_mark_after_its_rows_and_counts_anew(tmp_path: Path) -> None:
    plan = make_plan(rolls=RollPolicy(rows=3, bytes=1 << 40))
    sink = begun(plan, tmp_path)
    assert run(sink, [marked(1, 2), unmarked(3, 2), marked(5, 1), marked(6, 2), marked(8, 1), marked(9, 1)]) == [
        [1, 2, 3, 4, 5],
        RestartPoint(mark=position(5), roll=True),
        [6, 7, 8],
        RestartPoint(mark=position(8), roll=True),
        [9],
        RestartPoint(mark=position(9), done=True),
    ]


def test_parts_that_closed_by_size_count_for_the_roll(tmp_path: Path) -> None:
    plan = make_plan(part_bytes=1, rolls=RollPolicy(rows=3, bytes=1 << 40))
    assert [
        one for one in run(begun(plan, tmp_path), [marked(1, 2), marked(3, 2)]) if isinstance(one, RestartPoint)
    ] == [
        RestartPoint(mark=position(2)),
        RestartPoint(mark=position(4), roll=True),
        RestartPoint(mark=position(4), done=True),
    ]


def test_row_groups_have_the_planned_size_whatever_the_batches(tmp_path: Path) -> None:
    sink = begun(make_plan(row_group_bytes=10 * TEN), tmp_path)
    batches = [unmarked(first, 10) for first in range(1, 401, 10)] + [unmarked(401, 600)]
    (part, _) = [*[one for batch in batches for one in sink.write(batch)], *sink.end()]
    assert isinstance(part, FinishedPart)
    with pa.ipc.open_file(part.path) as file:
        sizes = [file.get_batch(index).nbytes for index in range(file.num_record_batches)]
    assert all(5 * TEN <= size <= 15 * TEN for size in sizes[:-1]), sizes


def test_many_datasets_share_the_bound_of_the_buffers(tmp_path: Path) -> None:
    names = [f"t{index}" for index in range(20)]
    sink = begun(make_plan(*(dataset_plan(name=name) for name in names), row_group_bytes=10 * TEN), tmp_path)
    highest = 0
    for first in range(1, 101, 5):
        for name in names:
            list(sink.write(unmarked(first, 5, dataset=name)))
            highest = max(highest, sum(dataset.buffered for dataset in sink._datasets.values()))
    sink.abort()
    assert highest <= 20 * TEN


def test_counters_tell_of_the_parts_own_rows(tmp_path: Path) -> None:
    data = pa.record_batch([[1, 2], ["ab", None]], schema=SCHEMA)
    sink = begun(make_plan(dataset_plan(exported_at=True)), tmp_path)
    batch = Batch(data=data, nulled=(("name", 1),))
    (part, _) = [*sink.write(batch), *sink.end()]
    assert isinstance(part, FinishedPart)
    counters = part.counters
    assert (counters.rows, counters.input_bytes) == (2, data.nbytes)
    assert (counters.nulls, counters.widths, counters.nulled) == (
        (("id", 0), ("name", 1)),
        (("name", 2),),
        (("name", 1),),
    )
    assert [name for name, _ in counters.checksums] == ["id", "name"]


def test_the_file_has_the_plans_schema_and_meta_columns(tmp_path: Path) -> None:
    plan = make_plan(dataset_plan(exported_at=True, row_hash=("id",)))
    sink = begun(plan, tmp_path)
    (part, _) = [*sink.write(unmarked(1, 2)), *sink.end()]
    assert isinstance(part, FinishedPart)
    with pa.ipc.open_file(part.path) as file:
        table = file.read_all()
    assert table.schema.equals(plan.datasets[0].schema, check_metadata=True)
    assert table[EXPORTED_AT].to_pylist() == [NOW, NOW]


def test_rows_of_an_unplanned_dataset_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InternalError, match="'other'"):
        list(begun(make_plan(), tmp_path).write(unmarked(1, 1, dataset="other")))


def test_abort_leaves_no_unfinished_file(tmp_path: Path) -> None:
    sink = begun(make_plan(dataset_plan(name="a"), dataset_plan(name="b"), row_group_bytes=1), tmp_path)
    list(sink.write(unmarked(1, 100, dataset="a")))
    list(sink.write(unmarked(1, 100, dataset="b")))
    before = len(list(tmp_path.iterdir()))
    sink.abort()
    assert (before, list(tmp_path.iterdir())) == (2, [])


def test_rows_of_columns_without_bytes_are_rows_too(tmp_path: Path) -> None:
    schema = pa.schema([("nothing", pa.null())])
    sink = begun(make_plan(dataset_plan(schema)), tmp_path)
    batch = Batch(data=pa.record_batch([pa.nulls(3)], schema=schema), mark=position(3))
    shown = [*sink.write(batch), *sink.end()]
    assert [type(one) for one in shown] == [FinishedPart, RestartPoint]


def test_an_empty_part_is_a_typed_file_that_counts_nothing(tmp_path: Path) -> None:
    plan = make_plan(dataset_plan(exported_at=True))
    recipe: Recipe = make_recipe(plan, tmp_path)
    part = empty_part(recipe)
    with pa.ipc.open_file(part.path) as file:
        table = file.read_all()
    assert (table.num_rows, table.schema) == (0, plan.datasets[0].schema)
    assert (part.counters.rows, part.counters.input_bytes) == (0, 0)
    assert part.counters.merge(PartCounters()).checksums == (("id", 0), ("name", 0))
