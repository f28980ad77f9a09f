from __future__ import annotations

import pyarrow as pa
import pytest
from sink_stand_ins import SCHEMA, rows

from rivet_core.engine.sink.row_group import RowGroup


def test_rows_come_out_in_the_order_they_came_in() -> None:
    group = RowGroup(SCHEMA, 1000)
    for first in (1, 4, 7):
        group.add(rows(first, 3))
    assert group.take().equals(rows(1, 9))


def test_it_begins_again_after_it_was_taken() -> None:
    group = RowGroup(SCHEMA, 1000)
    group.add(rows(1, 3))
    group.take()
    group.add(rows(4, 2))
    assert (group.rows, group.take().equals(rows(4, 2))) == (2, True)


def test_a_single_batch_is_not_copied() -> None:
    group = RowGroup(SCHEMA, 1000)
    data = rows(1, 50)
    group.add(data)
    assert group.take()["id"].buffers()[1].address == data["id"].buffers()[1].address


def test_it_is_full_at_its_target() -> None:
    group = RowGroup(SCHEMA, 2 * rows(1, 10).nbytes)
    group.add(rows(1, 10))
    before = group.full
    group.add(rows(1, 10))
    assert (before, group.full) == (False, True)


def test_a_batch_far_beyond_the_target_is_cut_without_a_copy() -> None:
    data = rows(1, 1000)
    pieces = list(RowGroup(SCHEMA, data.nbytes // 4 + 1).cut(data))
    assert [piece.num_rows for piece in pieces] == [250] * 4
    assert pa.Table.from_batches(pieces).to_batches()[1]["id"].buffers()[1].address == data["id"].buffers()[1].address


def test_a_small_group_takes_a_large_piece_and_a_large_one_does_not() -> None:
    ten = rows(1, 10).nbytes
    group = RowGroup(SCHEMA, 10 * ten)
    group.add(rows(1, 40))
    small = group.fits(10 * ten)
    group.add(rows(1, 40))
    assert (small, group.fits(10 * ten)) == (True, False)


@pytest.mark.parametrize("target", [1, 7, 10**9])
def test_a_cut_neither_loses_nor_doubles_rows(target: int) -> None:
    pieces = RowGroup(SCHEMA, target).cut(rows(1, 101))
    assert pa.Table.from_batches(pieces).combine_chunks().to_batches()[0].equals(rows(1, 101))


@pytest.mark.parametrize(
    "kind", [pa.json_(), pa.uuid(), pa.list_(pa.int32()), pa.dictionary(pa.int8(), pa.string()), pa.null()], ids=str
)
def test_columns_of_every_kind_are_joined(kind: pa.DataType) -> None:
    schema = pa.schema([("c", kind)])
    group = RowGroup(schema, 1000)
    for _ in range(2):
        group.add(pa.record_batch([pa.nulls(2, kind)], schema=schema))
    joined = group.take()
    assert (joined.num_rows, joined.schema) == (4, schema)
