"""A NaN is a NaN: neither its sign nor its other bits come from the data."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from rivet_core.engine.sink.one_nan import with_one_nan

DOUBLES = [0xFFF8 << 48, 0x7FF8 << 48, 0x7FF8_0000_0000_0001, 0x3FF0 << 48, 1 << 63]
SINGLES = [0xFFC0_0000, 0x7FC0_0000, 0x7FC0_0001, 0x3F80_0000, 1 << 31]


@pytest.mark.parametrize(("bits", "kind", "word"), [(DOUBLES, "f8", "u8"), (SINGLES, "f4", "u4")])
def test_every_nan_becomes_the_usual_one_and_nothing_else_changes(bits: list[int], kind: str, word: str) -> None:
    data = pa.record_batch({"id": pa.array(range(5)), "x": pa.array(np.array(bits, word).view(kind))})
    found = with_one_nan(data).column("x").to_numpy().view(word).tolist()
    assert found == [bits[1], bits[1], bits[1], *bits[3:]]


def test_null_stays_null_beside_a_nan() -> None:
    data = pa.record_batch({"x": pa.array([None, float("nan"), 1.0], pa.float64())})
    assert [str(value) for value in with_one_nan(data).column("x").to_pylist()] == ["None", "nan", "1.0"]


def test_rows_without_a_nan_are_not_copied() -> None:
    data = pa.record_batch({"x": pa.array([1.0, None, float("inf")]), "t": pa.array(["a", "b", None])})
    assert with_one_nan(data) is data
