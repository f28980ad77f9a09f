from __future__ import annotations

from typing import Any

import attrs
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sink_stand_ins import dataset_plan, make_plan

from rivet_core.engine.limits import within_limits
from rivet_core.engine.reader import base_request, budget_of, tuned
from rivet_core.errors import RivetError
from rivet_core.planning.plan import Plan
from rivet_core.protocols import Batch
from rivet_core.requests import Budget, ReadRequest, Tuning, Unit
from rivet_core.types import Position, Table


def plan(**tuning: Any) -> Plan:
    made = make_plan(dataset_plan(pa.schema([("text", pa.string())]), name="notes"))
    return attrs.evolve(made, intent=attrs.evolve(made.intent, tuning=Tuning(**tuning)))


def batch(*texts: str | None, kind: pa.DataType = pa.string(), **more: Any) -> Batch:  # noqa: B008 - a constant
    return Batch(data=pa.record_batch({"text": pa.array(texts, kind)}), dataset="notes", **more)


def test_a_batch_within_its_limits_passes_as_it_is() -> None:
    given_batch = batch("a", "b")
    assert list(within_limits(given_batch, plan(max_batch_bytes=1000))) == [given_batch]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.json_(), pa.dictionary(pa.int32(), pa.string())],
)
def test_a_cell_over_the_limit_names_its_column(kind: pa.DataType) -> None:
    cells = pa.array(["x", None, "x" * 101]).cast(kind)
    large = Batch(data=pa.record_batch({"text": cells}), dataset="notes")
    with pytest.raises(RivetError) as caught:
        list(within_limits(large, plan(max_value_bytes=100)))
    assert caught.value.code == "RIVET_SOURCE_VALUE_TOO_LARGE"
    assert caught.value.place is not None
    assert (caught.value.place.relation, caught.value.place.field) == ("notes", "text")


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.binary()), pa.list_(pa.string(), 2)])
def test_a_value_in_a_list_is_measured_alone(kind: pa.DataType) -> None:
    lists = pa.array([["x" * 60, "x" * 60], None, ["x", "x" * 101]], kind)
    within = Batch(data=pa.record_batch({"text": lists.slice(0, 2)}), dataset="notes")
    assert list(within_limits(within, plan(max_value_bytes=100))) == [within]
    with pytest.raises(RivetError) as caught:
        list(within_limits(attrs.evolve(within, data=pa.record_batch({"text": lists})), plan(max_value_bytes=100)))
    assert caught.value.place is not None
    assert (caught.value.code, caught.value.place.field) == ("RIVET_SOURCE_VALUE_TOO_LARGE", "text")


@pytest.mark.parametrize("limit", [0, 101])
def test_a_cell_of_just_the_limit_passes_and_so_does_any_without_one(limit: int) -> None:
    given_batch = batch("x" * 101, "x" * 101)
    assert list(within_limits(given_batch, plan(max_value_bytes=limit))) == [given_batch]


def test_a_batch_over_the_limit_passes_under_warn() -> None:
    given_batch = batch("x" * 200)
    assert list(within_limits(given_batch, plan(max_batch_bytes=100))) == [given_batch]


def test_a_batch_over_the_limit_ends_the_read_under_fail() -> None:
    with pytest.raises(RivetError) as caught:
        list(within_limits(batch("x" * 200), plan(max_batch_bytes=100, on_batch_exceeded="fail")))
    assert caught.value.code == "RIVET_SOURCE_BATCH_TOO_LARGE"


@given(st.lists(st.text(max_size=40), max_size=50), st.integers(20, 200))
def test_auto_shrink_cuts_without_losing_anything(texts: list[str], most: int) -> None:
    mark = Position("int64", "9")
    whole = batch(*texts, mark=mark, nulled=(("text", 3),))
    pieces = list(within_limits(whole, plan(max_batch_bytes=most, on_batch_exceeded="auto_shrink")))
    assert [text for piece in pieces for text in piece.data["text"].to_pylist()] == texts
    assert all(piece.data.nbytes <= most or piece.data.num_rows <= 1 for piece in pieces)
    assert [piece.mark for piece in pieces] == [None] * (len(pieces) - 1) + [mark]
    assert [cells for piece in pieces for cells in piece.nulled] == [("text", 3)]
    assert {piece.dataset for piece in pieces} == {"notes"}


def test_a_source_is_asked_for_no_larger_batches_than_are_wanted() -> None:
    limited = plan(budget=Budget(bytes=1000, rows=7), max_batch_bytes=300).intent
    assert budget_of(limited) == Budget(bytes=300, rows=7)
    assert base_request(plan(budget=Budget(bytes=1000, rows=7))).budget == Budget(bytes=1000, rows=7)


@pytest.mark.parametrize(("part", "batch"), [(8 << 20, 1 << 20), (1, 64 << 10), (1 << 30, 16 << 20)])
def test_batches_are_small_beside_the_parts_that_end_with_them(part: int, batch: int) -> None:
    assert budget_of(attrs.evolve(plan().intent, part_bytes=part)).bytes == batch


def test_a_stored_unit_is_read_with_todays_batch_size() -> None:
    stored = Unit(id="u", ordinal=0, request=ReadRequest(relation=Table("t"), budget=Budget(bytes=1, rows=1)))
    assert tuned(stored, plan().intent, 700).request.budget == attrs.evolve(Budget(), rows=700)
