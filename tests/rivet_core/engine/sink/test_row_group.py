from __future__ import annotations

import pyarrow as pa
import pytest
from sink_stand_ins import rows

from rivet_core.engine.sink.row_group import RowGroup, joined


def test_rows_come_out_in_the_order_they_came_in() -> None:
    group = RowGroup(1000)
    for first in (1, 4, 7):
        group.add(rows(first, 3))
    assert joined(group.take()).equals(rows(1, 9))


def test_it_begins_again_after_it_was_taken() -> None:
    group = RowGroup(1000)
    group.add(rows(1, 3))
    group.take()
    group.add(rows(4, 2))
    assert (group.rows, joined(group.take()).equals(rows(4, 2))) == (2, True)


def test_a_single_batch_is_not_copied() -> None:
    group = RowGroup(1000)
    data = rows(1, 50)
    group.add(data)
    (piece,) = group.take()
    assert piece["id"].buffers()[1].address == data["id"].buffers()[1].address


def test_large_batches_are_not_copied_whatever_lies_between_them() -> None:
    group, large = RowGroup(10**9), rows(1, 300_000)
    for data in (large, rows(1, 3), rows(4, 3), large):
        group.add(data)
    first, small, last = group.take()
    addresses = {piece["id"].buffers()[1].address for piece in (first, last)}
    assert (addresses, small.equals(rows(1, 6))) == ({large["id"].buffers()[1].address}, True)


def test_small_batches_become_few_pieces() -> None:
    group, data = RowGroup(10**9), rows(1, 10_000)
    for _ in range(100):
        group.add(data)
    assert len(group.take()) == 100 * data.nbytes // (4 << 20)


def test_it_is_full_at_its_target() -> None:
    group = RowGroup(2 * rows(1, 10).nbytes)
    group.add(rows(1, 10))
    before = group.full
    group.add(rows(1, 10))
    assert (before, group.full) == (False, True)


def test_a_batch_far_beyond_the_target_is_cut_without_a_copy() -> None:
    data = rows(1, 1000)
    pieces = list(RowGroup(data.nbytes // 4 + 1).cut(data))
    assert [piece.num_rows for piece in pieces] == [250] * 4
    assert pa.Table.from_batches(pieces).to_batches()[1]["id"].buffers()[1].address == data["id"].buffers()[1].address


def test_a_small_group_takes_a_large_piece_and_a_large_one_does_not() -> None:
    ten = rows(1, 10).nbytes
    group = RowGroup(10 * ten)
    group.add(rows(1, 40))
    small = group.fits(10 * ten)
    group.add(rows(1, 40))
    assert (small, group.fits(10 * ten)) == (True, False)


@pytest.mark.parametrize("target", [1, 7, 10**9])
def test_a_cut_neither_loses_nor_doubles_rows(target: int) -> None:
    pieces = RowGroup(target).cut(rows(1, 101))
    assert pa.Table.from_batches(pieces).combine_chunks().to_batches()[0].equals(rows(1, 101))


@pytest.mark.parametrize(
    "kind", [pa.json_(), pa.uuid(), pa.list_(pa.int32()), pa.dictionary(pa.int8(), pa.string()), pa.null()], ids=str
)
def test_columns_of_every_kind_are_joined(kind: pa.DataType) -> None:
    schema = pa.schema([("c", kind)])
    whole = joined([pa.record_batch([pa.nulls(2, kind)], schema=schema) for _ in range(2)])
    assert (whole.num_rows, whole.schema) == (4, schema)
