from __future__ import annotations

import pyarrow as pa
import pytest
from sink_stand_ins import NOW, SCHEMA, dataset_plan, rows

from rivet_core.engine.sink.meta import with_meta
from rivet_core.errors import InternalError
from rivet_core.planning.plan import EXPORTED_AT, ROW_HASH


def test_without_meta_columns_the_rows_only_get_the_plans_metadata() -> None:
    field = SCHEMA.field("id").with_metadata({"rivet.native_type": "bigint"})
    plan = dataset_plan(pa.schema([field, SCHEMA.field("name")]))
    data = with_meta(rows(1, 3), plan, NOW)
    assert data.schema.equals(plan.schema, check_metadata=True)
    assert data.to_pylist() == rows(1, 3).to_pylist()


def test_every_row_has_the_runs_frozen_clock_value() -> None:
    data = with_meta(rows(1, 3), dataset_plan(exported_at=True), NOW)
    assert data.schema.field(EXPORTED_AT).type == pa.timestamp("us", "UTC")
    assert data[EXPORTED_AT].to_pylist() == [NOW] * 3


def test_equal_rows_have_equal_hashes_and_others_do_not() -> None:
    data = pa.record_batch([[1, 1, 1], ["a", "a", None]], schema=SCHEMA)
    hashes = with_meta(data, dataset_plan(row_hash=("id", "name")), NOW)[ROW_HASH]
    assert hashes.type == pa.int64()
    first, second, third = hashes.to_pylist()
    assert first == second != third


def test_only_covered_columns_are_hashed() -> None:
    data = pa.record_batch([[1, 1], ["a", "b"]], schema=SCHEMA)
    first, second = with_meta(data, dataset_plan(row_hash=("id",)), NOW)[ROW_HASH].to_pylist()
    assert first == second


def test_the_meta_columns_stand_in_the_plans_order() -> None:
    data = with_meta(rows(1, 1), dataset_plan(exported_at=True, row_hash=("id",)), NOW)
    assert data.schema.names == ["id", "name", EXPORTED_AT, ROW_HASH]


def test_a_column_of_the_plan_that_nobody_makes_is_our_own_bug() -> None:
    plan = dataset_plan(pa.schema([*SCHEMA, ("_rivet_other", pa.int64())]))
    with pytest.raises(InternalError, match="_rivet_other"):
        with_meta(rows(1, 1), plan, NOW)
