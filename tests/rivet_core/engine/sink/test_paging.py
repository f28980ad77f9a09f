from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import pyarrow as pa
import pytest
from sink_stand_ins import KEYS, MemorySource, ordered_unit, paged_unit, plain_unit, position, rows

from rivet_core.engine.paging import after, read_unit
from rivet_core.errors import InternalError, UsageError
from rivet_core.protocols import Batch
from rivet_core.requests import (
    HIDDEN_PREFIX,
    After,
    AtOrAfter,
    Between,
    ColumnKey,
    ReadContext,
    ReadRequest,
    Unit,
    Until,
)
from rivet_core.types import Position

CONTEXT = ReadContext()


def ids(batches: Iterator[Batch]) -> list[int]:
    return [value for batch in batches for value in batch.data["id"].to_pylist()]


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 20, 25])
def test_pages_together_are_the_relation(count: int) -> None:
    assert ids(read_unit(MemorySource(rows(1, count)), paged_unit(10), CONTEXT)) == list(range(1, count + 1))


@pytest.mark.parametrize(("count", "pages"), [(0, 1), (9, 1), (10, 2), (25, 3)])
def test_a_short_page_is_the_last(count: int, pages: int) -> None:
    source = MemorySource(rows(1, count))
    ids(read_unit(source, paged_unit(10), CONTEXT))
    assert len(source.requests) == pages


def test_a_page_is_ordered_limited_and_carries_its_keys() -> None:
    source = MemorySource(rows(1, 12))
    batches = list(read_unit(source, paged_unit(10), CONTEXT))
    assert all(request.order == request.hidden == KEYS and request.limit == 10 for request in source.requests)
    assert [request.terms for request in source.requests] == [(), (After(KEYS, position(10)),)]
    assert all(f"{HIDDEN_PREFIX}id" in batch.data.schema.names for batch in batches)


def test_a_paged_unit_goes_on_after_its_mark() -> None:
    assert ids(read_unit(MemorySource(rows(1, 25)), paged_unit(10), CONTEXT, position(13))) == list(range(14, 26))


def test_an_ordered_unit_goes_on_after_its_mark() -> None:
    source = MemorySource(rows(1, 25))
    assert ids(read_unit(source, ordered_unit(), CONTEXT, position(13))) == list(range(14, 26))
    assert source.requests[0].terms == (After(KEYS, position(13)),)


def test_a_stream_goes_on_after_its_mark_without_keys() -> None:
    bound, mark = Until((), Position("lsn", "9")), Position("lsn", "5")
    request = ReadRequest(relation=None, terms=(After((), Position("lsn", "1")), bound))
    assert after(request, request.order, mark).terms == (bound, After((), mark))


def test_a_mark_replaces_lower_bounds_by_the_same_keys_only() -> None:
    other = After((ColumnKey("other"),), position(1))
    window = Between(KEYS[0], position(0), position(99))
    request = ReadRequest(relation=None, terms=(After(KEYS, position(1)), AtOrAfter(KEYS, position(2)), other, window))
    assert after(request, KEYS, position(7)).terms == (other, window, After(KEYS, position(7)))


def test_a_unit_without_marks_is_read_as_it_was_planned() -> None:
    source, unit = MemorySource(rows(1, 7)), plain_unit()
    assert ids(read_unit(source, unit, CONTEXT)) == list(range(1, 8))
    assert source.requests == [unit.request]


class OddSource(MemorySource):
    """Yields the same page for ever, as told."""

    def __init__(self, *batches: Batch) -> None:
        super().__init__(rows(1, 1))
        self.page = batches

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        yield iter(self.page)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ((Batch(data=rows(1, 10)),), "no mark"),
        ((Batch(data=rows(1, 5), mark=position(5)), Batch(data=rows(6, 5))), "no mark"),
        ((Batch(data=rows(1, 10), mark=position(10)),), "ended"),
    ],
    ids=["unmarked", "unmarked at its end", "unmoved"],
)
def test_a_full_page_that_does_not_move_on_is_an_error(page: tuple[Batch, ...], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        list(read_unit(OddSource(*page), paged_unit(10), CONTEXT))
    assert caught.value.code == "RIVET_PLAN_KEY_UNUSABLE"
    assert caught.value.place is not None
    assert (caught.value.place.relation, caught.value.place.field) == ("things", "id")


def test_an_empty_batch_may_carry_the_pages_mark() -> None:
    page = (Batch(data=rows(1, 10)), Batch(data=pa.RecordBatch.from_pylist([], rows(1, 0).schema), mark=position(10)))
    batches = read_unit(OddSource(*page), paged_unit(10), CONTEXT)
    assert [next(batches).data.num_rows for _ in range(3)] == [10, 0, 10]
    batches.close()


def test_a_limit_of_a_paged_unit_is_refused() -> None:
    unit: Unit = paged_unit(10)
    unit = attrs.evolve(unit, request=attrs.evolve(unit.request, limit=5))
    with pytest.raises(InternalError, match="limit"):
        list(read_unit(MemorySource(rows(1, 5)), unit, CONTEXT))


@pytest.mark.parametrize("unit", [plain_unit(), paged_unit(4)], ids=["plain", "paged"])
def test_stopping_early_closes_the_read(unit: Unit) -> None:
    source = MemorySource(rows(1, 25))
    batches = read_unit(source, unit, CONTEXT)
    next(batches)
    before = source.open
    batches.close()
    assert (before, source.open) == (1, 0)
