from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.distinct import Distinct, can_tell_apart, distinct_values

cells = st.lists(st.none() | st.integers(0, 60), max_size=60)


def of(values: list[int | None], most: int = 1000) -> Distinct:
    return distinct_values(pa.array(values, pa.int64()), most)


def merged(parts: list[list[int | None]], most: int = 1000) -> Distinct:
    total = Distinct(most=most)
    for part in parts:
        total = total.merge(of(part, most))
    return total


@given(st.lists(cells, max_size=5))
def test_up_to_the_bound_any_cut_and_any_order_says_the_same(parts: list[list[int | None]]) -> None:
    whole = of([value for part in parts for value in part])
    assert merged(parts) == merged(parts[::-1]) == whole
    present = [value for part in parts for value in part if value is not None]
    assert (whole.kept, whole.repeated) == (len(set(present)), len(present) - len(set(present)))


@given(st.lists(cells, max_size=5), st.integers(1, 20))
def test_beyond_the_bound_the_same_values_are_kept_in_any_order(parts: list[list[int | None]], most: int) -> None:
    forth, back = merged(parts, most), merged(parts[::-1], most)
    assert (forth.digests, forth.bound, forth.rows) == (back.digests, back.bound, back.rows)
    assert forth.kept <= most


@given(st.lists(cells, max_size=5), st.integers(1, 20))
def test_beyond_the_bound_no_repetition_is_made_up(parts: list[list[int | None]], most: int) -> None:
    present = [value for part in parts for value in part if value is not None]
    assert merged(parts, most).repeated <= len(present) - len(set(present))


@given(st.lists(cells, min_size=1, max_size=5), st.integers(1, 20))
def test_every_repetition_of_a_kept_value_is_found(parts: list[list[int | None]], most: int) -> None:
    kept = {merged(parts, most).digests[at : at + 8] for at in range(0, 8 * merged(parts, most).kept, 8)}
    present = [value for part in parts for value in part if value is not None]
    of_kept = [value for value in present if of([value]).digests in kept]
    assert merged(parts, most).repeated >= len(of_kept) - len(set(of_kept))


@given(st.lists(cells, max_size=5), st.integers(1, 20))
def test_parts_that_are_narrowed_to_the_whole_say_the_same(parts: list[list[int | None]], most: int) -> None:
    whole = merged(parts, most)
    total = Distinct(most=most)
    for part in parts:
        total = total.merge(of(part, most).narrowed(whole.bound))
    assert (total.digests, total.bound, total.rows) == (whole.digests, whole.bound, whole.rows)


def test_how_many_values_there_are_is_estimated_beyond_the_bound() -> None:
    estimate = distinct_values(pa.array(range(200_000)), 1000).estimate
    assert 170_000 < estimate < 230_000


def test_nulls_are_rows_and_no_values() -> None:
    found = of([None, None, 1])
    assert (found.rows, found.kept, found.repeated) == (3, 1, 0)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", "b", "a", None]),
        pa.array(["a", "b", "a", None], pa.large_string()),
        pa.array(["a", "b", "a", None], pa.string_view()),
        pa.array(["a", "b", "a", None]).dictionary_encode(),
        pa.array([b"a", b"", b"a", None]),
        pa.array([1, 2, 1, None], pa.int8()),
        pa.array([1, 2, 1, None], pa.uint32()),
        pa.array([1.5, -0.0, 1.5, None]),
        pa.array([Decimal("1.50"), Decimal("2.50"), Decimal("1.50"), None], pa.decimal128(10, 2)),
        pa.array([True, False, True, None]),
        pa.array([1, 2, 1, None], pa.timestamp("ns", "UTC")),
        pa.array([[1, 2], [1], [1, 2], None], pa.list_(pa.int64())),
        pa.array([["a"], ["b", None], ["a"], None], pa.list_(pa.large_string())),
        pa.array(['{"a":1}', "{}", '{"a":1}', None], pa.json_()),
    ],
    ids=lambda column: str(column.type),
)
def test_values_of_every_type_are_told_apart(column: pa.Array) -> None:
    assert can_tell_apart(column.type)
    found = distinct_values(column, 10)
    assert (found.rows, found.kept, found.repeated) == (4, 2, 1)
    assert distinct_values(column.slice(1), 10).repeated == 0


def test_a_type_without_digests_is_known_before() -> None:
    struct = pa.struct([("a", pa.int64())])
    assert not can_tell_apart(struct)
    with pytest.raises(TypeError):
        distinct_values(pa.array([{"a": 1}], struct), 10)


@given(st.lists(cells, max_size=3), st.integers(1, 20))
def test_the_states_form_keeps_everything(parts: list[list[int | None]], most: int) -> None:
    counters = PartCounters(rows=3, distinct=(("a", merged(parts, most)), ("b", Distinct(most=5))))
    assert PartCounters.from_json(counters.to_json()) == counters


def test_the_counters_of_an_older_state_are_read() -> None:
    data: dict[str, Any] = json.loads(PartCounters(rows=3, input_bytes=9).to_json())
    del data["largest_batch"]
    assert PartCounters.from_json(json.dumps(data)) == PartCounters(rows=3, input_bytes=9)


def test_nobody_stores_what_nobody_asked_for() -> None:
    assert "distinct" not in json.loads(PartCounters(rows=3).to_json())
