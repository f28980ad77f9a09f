"""What single gates say at their edges; that every runner reaches them is proved in tests/ledgers."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pyarrow as pa
import pytest
from sink_stand_ins import dataset_plan, make_plan

from rivet_core.engine.gates import GateContext, GateResult, judge
from rivet_core.engine.gates.shape import shape_baseline
from rivet_core.engine.reconciling import UnitCount
from rivet_core.errors import Exit
from rivet_core.manifest.counters import PartCounters
from rivet_core.manifest.distinct import distinct_values
from rivet_core.requests import Tuning

SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])


def context(counters: PartCounters | None = None, *, dataset: str = "", **more: Any) -> GateContext:
    fields = attrs.fields_dict(GateContext)
    given = {key: value for key, value in more.items() if key in fields}
    plan = make_plan(dataset_plan(SCHEMA, name=dataset))
    intent = attrs.evolve(plan.intent, **{key: value for key, value in more.items() if key not in fields})
    usual: dict[str, Any] = {"baseline": None, "current": "{}", "described": lambda: None, "units_done": True}
    counted = ((dataset, counters or PartCounters()),)
    return GateContext(plan=attrs.evolve(plan, intent=intent), counters=counted, **usual | given)


def said(gate: str, asked: GateContext) -> GateResult | None:
    return next((result for result in judge(asked).results if result.gate == gate), None)


def verdict(gate: str, asked: GateContext) -> str | None:
    found = said(gate, asked)
    return None if found is None else found.verdict


QUIET = ("reconcile", "row_count", "null_ratio", "unique", "content", "batch_size")


@pytest.mark.parametrize("gate", QUIET)
def test_a_gate_that_nobody_asked_for_says_nothing(gate: str) -> None:
    assert said(gate, context(PartCounters(rows=3, largest_batch=10))) is None


def nulls(cells: int, rows: int, most: float) -> GateContext:
    return context(PartCounters(rows=rows, nulls=(("name", cells),)), null_ratio_max=(("name", most),))


@pytest.mark.parametrize(
    ("cells", "rows", "most", "said"),
    [
        (1, 10, 0.1, "pass"),
        (2, 10, 0.1, "fail"),
        (1, 3, 1 / 3, "pass"),
        (7, 10, 0.7, "pass"),
        (3, 3, 1, "pass"),
        (0, 3, 0, "pass"),
        (1, 3, 0, "fail"),
        (0, 0, 0, "pass"),
    ],
)
def test_a_share_of_exactly_the_bound_passes(cells: int, rows: int, most: float, said: str) -> None:
    assert verdict("null_ratio", nulls(cells, rows, most)) == said


def test_a_failing_gate_ends_the_command_with_exit_3_and_names_its_key() -> None:
    failure = judge(nulls(2, 10, 0.1)).failure
    assert failure is not None
    assert (failure.exit, failure.code) == (Exit.INTEGRITY, "RIVET_RUN_GATE_FAILED")
    assert failure.place is not None
    assert failure.place.path == "exports.things.quality.null_ratio_max"


@pytest.mark.parametrize(
    "keys", [{"row_count_min": 9}, {"null_ratio_max": (("name", 0.0),)}, {"unique_columns": ("id",)}]
)
@pytest.mark.parametrize(
    ("baseline", "words"),
    [("{}", "the last good dataset is still marked as such"), (None, "nothing marks them as a good dataset")],
)
def test_a_last_good_dataset_is_spoken_of_where_there_was_one(
    keys: dict[str, Any], baseline: str | None, words: str
) -> None:
    twice = distinct_values(pa.array([1, 1], pa.int64()), 10)
    counters = PartCounters(rows=2, nulls=(("name", 1),), distinct=(("id", twice),))
    failure = judge(context(counters, baseline=baseline, **keys)).failure
    assert failure is not None
    assert failure.remedy == f"look at the source; the parts stay, and {words}"


@pytest.mark.parametrize(("baseline", "detail"), [("{}", "same schema"), (None, "nothing to compare with yet")])
def test_a_schema_is_the_same_only_where_it_was_compared(baseline: str | None, detail: str) -> None:
    found = said("schema_drift", context(baseline=baseline))
    assert found is not None
    assert (found.verdict, found.detail) == ("pass", detail)


@pytest.mark.parametrize(("rows", "detail"), [(1, "1 row is fewer than row_count_min 2"), (3, "3 rows")])
def test_one_row_is_one(rows: int, detail: str) -> None:
    found = said("row_count", context(PartCounters(rows=rows), row_count_min=2))
    assert found is not None
    assert found.detail == detail


def test_one_repeated_cell_is_one() -> None:
    found = said("unique", unique(1, 2, 1))
    assert found is not None
    assert found.detail == "column id should hold no value twice, and 1 cell repeats another one"


def test_a_column_of_one_of_several_datasets_is_named_with_it() -> None:
    counters = PartCounters(rows=1, nulls=(("name", 1),))
    found = said("null_ratio", context(counters, dataset="orders", null_ratio_max=(("name", 0.0),)))
    assert found is not None
    assert "column orders.name is NULL in 100.00% of its 1 row," in found.detail


def unique(*values: int | None, rows: int | None = None, most: int = 100) -> GateContext:
    distinct = distinct_values(pa.array(values, pa.int64()), most)
    return context(
        PartCounters(rows=len(values) if rows is None else rows, distinct=(("id", distinct),)), unique_columns=("id",)
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (unique(1, 2, None, None), "pass"),
        (unique(1, 2, 1), "fail"),
        (unique(1, 2, rows=5), "warn"),
        (unique(*range(50), most=10), "warn"),
        (unique(*range(50), *range(50), most=10), "fail"),
        (unique(), "pass"),
    ],
)
def test_uniqueness_is_judged_as_far_as_it_is_known(asked: GateContext, said: str) -> None:
    assert verdict("unique", asked) == said


def test_a_column_whose_values_nobody_kept_is_a_warning() -> None:
    found = said("unique", context(PartCounters(rows=4), unique_columns=("id",)))
    assert found is not None
    assert (found.verdict, "in 4 rows" in found.detail) == ("warn", True)


def widths(before: dict[str, int] | None, now: int, **more: Any) -> GateContext:
    shape = None if before is None else json.dumps({"": before})
    return context(PartCounters(rows=1, widths=(("name", now),)), shape=shape, **more)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (widths(None, 9), None),
        (widths({"name": 10}, 20), "pass"),
        (widths({"name": 10}, 21), "warn"),
        (widths({"name": 10}, 21, shape_drift_warn_factor=0.0), None),
        (widths({"name": 10}, 15, shape_drift_warn_factor=1.4), "warn"),
        (widths({"name": 0}, 9), "pass"),
        (widths({"other": 1}, 9), "pass"),
    ],
)
def test_widths_are_compared_with_the_last_success(asked: GateContext, said: str | None) -> None:
    assert verdict("shape_drift", asked) == said


@pytest.mark.parametrize(
    ("before", "now", "whole", "after"),
    [
        (None, (("a", 5),), True, {"a": 5}),
        ({"a": 9}, (("a", 5),), True, {"a": 5}),
        ({"a": 9}, (("a", 5),), False, {"a": 9}),
        ({"a": 9, "b": 1}, (("a", 0),), True, {"a": 9, "b": 1}),
        ({"a": 9}, (), True, {"a": 9}),
    ],
)
def test_the_next_baseline_forgets_no_column_that_had_no_value(
    before: dict[str, int] | None, now: tuple[tuple[str, int], ...], *, whole: bool, after: dict[str, int]
) -> None:
    shape = None if before is None else json.dumps({"": before})
    made = shape_baseline(shape, [("", PartCounters(widths=now))], whole=whole)
    assert json.loads(made) == {"": after}


def test_a_part_that_the_store_did_not_confirm_fails_the_run() -> None:
    assert verdict("content", context(verify="content")) == "pass"
    found = said("content", context(verify="content", unconfirmed=("a", "b", "c", "d")))
    assert found is not None
    assert (found.verdict, "a, b, c and 1 more" in found.detail) == ("fail", True)


@pytest.mark.parametrize(("largest", "said"), [(100, None), (101, "warn")])
def test_a_batch_over_its_limit_is_a_warning(largest: int, said: str | None) -> None:
    asked = context(PartCounters(largest_batch=largest), tuning=Tuning(max_batch_bytes=100))
    assert verdict("batch_size", asked) == said


def count(rows: int | None, *, certain: bool = True) -> UnitCount:
    return UnitCount(unit="u", recorded=5, rows=rows, certain=certain, problem=None if rows else "it broke")


@pytest.mark.parametrize(
    ("counted", "said"),
    [
        ((), "pass"),
        ((count(5),), "pass"),
        ((count(5, certain=False),), "pass"),
        ((count(6, certain=False),), "warn"),
        ((count(6, certain=False), count(None)), "warn"),
        ((count(6, certain=False), count(4)), "fail"),
        ((count(None),), "warn"),
    ],
)
def test_a_count_is_as_good_as_what_is_known_of_it(counted: tuple[UnitCount, ...], said: str) -> None:
    assert verdict("reconcile", context(counted=counted)) == said
