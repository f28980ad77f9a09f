from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sink_stand_ins import (
    MemorySource,
    ids_in,
    make_plan,
    make_recipe,
    ordered_unit,
    paged_unit,
    plain_unit,
    position,
    produced_elsewhere,
    rows,
)

from rivet_core.engine.produce import Recipe, UnitTask, produce
from rivet_core.ledger.finished import FinishedPart, Produced, RestartPoint
from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.types import Position

TEN = rows(1, 10).nbytes


def small(folder: Path, **changes: int) -> Recipe:
    return make_recipe(make_plan(part_bytes=changes.get("part_bytes", TEN)), folder)


def read_ids(produced: list[Produced]) -> list[int]:
    return [value for one in produced if isinstance(one, FinishedPart) for value in ids_in(one.path)]


@pytest.mark.parametrize("unit", [plain_unit(), ordered_unit(), paged_unit(7)], ids=["plain", "ordered", "paged"])
def test_a_unit_becomes_parts_with_all_of_its_rows(tmp_path: Path, unit) -> None:  # noqa: ANN001
    produced = list(produce(MemorySource(rows(1, 100)), UnitTask(unit=unit), small(tmp_path)))
    assert read_ids(produced) == list(range(1, 101))
    assert len([one for one in produced if isinstance(one, FinishedPart)]) > 1


def test_the_last_value_says_done_and_has_the_last_mark(tmp_path: Path) -> None:
    *_, last = produce(MemorySource(rows(1, 100)), UnitTask(unit=paged_unit(7)), small(tmp_path))
    assert last == RestartPoint(mark=position(100), done=True)


def test_a_resumed_attempt_reads_on_after_the_mark(tmp_path: Path) -> None:
    task = UnitTask(unit=paged_unit(7), attempt=2, mark=position(60))
    assert read_ids(list(produce(MemorySource(rows(1, 100)), task, small(tmp_path)))) == list(range(61, 101))


def test_progress_is_told_of_every_batch(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    source = MemorySource(rows(1, 10), batch_rows=4)
    for _ in produce(source, UnitTask(unit=plain_unit()), small(tmp_path), progress=lambda *now: told.append(now)):
        pass
    assert [count for count, _ in told] == [4, 4, 2]
    assert all(size > 0 for _, size in told)


def test_closing_early_closes_the_read_and_leaves_only_yielded_parts(tmp_path: Path) -> None:
    source = MemorySource(rows(1, 1000))
    produced = produce(source, UnitTask(unit=paged_unit(7)), small(tmp_path))
    part = next(produced)
    produced.close()
    assert isinstance(part, FinishedPart)
    assert (source.open, list(tmp_path.iterdir())) == (0, [part.path])


def test_the_read_stays_on_one_thread_that_is_not_the_callers(tmp_path: Path) -> None:
    source = MemorySource(rows(1, 100))
    list(produce(source, UnitTask(unit=paged_unit(7)), small(tmp_path)))
    assert len(source.threads) == 1
    assert threading.get_ident() not in source.threads


class BreakingSource(MemorySource):
    """Loses its connection after so many batches."""

    def __init__(self, count: int, *, batches: int) -> None:
        super().__init__(rows(1, count))
        self.left = batches

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        with super().read(request, context) as batches:
            yield self._until_broken(batches)

    def _until_broken(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        for batch in batches:
            if not self.left:
                msg = "connection lost"
                raise ConnectionError(msg)
            self.left -= 1
            yield batch


def test_the_sources_own_error_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError, match="connection lost"):
        list(produce(BreakingSource(100, batches=5), UnitTask(unit=plain_unit()), small(tmp_path, part_bytes=1 << 40)))
    assert list(tmp_path.iterdir()) == []


@given(
    count=st.integers(0, 120),
    page=st.integers(1, 30),
    breaks=st.lists(st.integers(0, 12), max_size=4),
    part_bytes=st.sampled_from([1, 100, 500, 1 << 40]),
)
@settings(deadline=None, max_examples=min(60, settings().max_examples))
def test_recorded_rows_are_each_row_once_however_often_the_read_breaks(
    tmp_path_factory: pytest.TempPathFactory, count: int, page: int, breaks: list[int], part_bytes: int
) -> None:
    recipe = small(tmp_path_factory.mktemp("staging"), part_bytes=part_bytes)
    recorded: list[int] = []
    mark: Position | None = None
    for attempt, batches in enumerate([*breaks, 10**9], 1):
        waiting: list[int] = []
        try:
            for one in produce(
                BreakingSource(count, batches=batches),
                UnitTask(unit=paged_unit(page), attempt=attempt, mark=mark),
                recipe,
            ):
                if isinstance(one, FinishedPart):
                    waiting += ids_in(one.path)
                else:
                    recorded, waiting, mark = recorded + waiting, [], one.mark
        except ConnectionError:
            continue
        break
    assert recorded == list(range(1, count + 1))


def test_task_recipe_and_parts_travel_to_another_process_and_back(tmp_path: Path) -> None:
    task, recipe = UnitTask(unit=paged_unit(7)), small(tmp_path)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(produced_elsewhere, task, recipe).result(60)
    assert read_ids(there) == list(range(1, 101))
    assert there[-1] == RestartPoint(mark=position(100), done=True)
