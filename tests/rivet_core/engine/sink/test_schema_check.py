from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sink_stand_ins import SCHEMA, dataset_plan, rows

from rivet_core.engine.sink.schema_check import accepted
from rivet_core.errors import InternalError, RefusalError
from rivet_core.requests import HIDDEN_PREFIX

PLAN = dataset_plan()


def broken_text() -> pa.Array:
    # The byte e9 alone, as a driver hands it over from a database that is not in UTF-8.
    offsets = pa.py_buffer(np.array([0, 4], dtype=np.int32))
    return pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"caf\xe9")])


def test_hidden_keys_are_dropped() -> None:
    data = rows(1, 2)
    with_keys = data.append_column(f"{HIDDEN_PREFIX}id", pa.array(["1", "2"]))
    assert accepted(with_keys, PLAN, SCHEMA).equals(data)


def test_a_column_that_promises_no_nulls_is_as_good_as_a_nullable_one() -> None:
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), SCHEMA.field("name")])
    data = pa.record_batch(rows(1, 2).columns, schema=schema)
    assert accepted(data, PLAN, SCHEMA).num_rows == 2


@pytest.mark.parametrize(
    ("delivered", "words"),
    [
        (pa.schema([("id", pa.int32()), ("name", pa.string())]), ("'id' of type int32", "'id' of type int64", "id")),
        (pa.schema([("id", pa.int64()), ("nick", pa.string())]), ("'nick'", "'name'", "column 2")),
        (pa.schema([("name", pa.string()), ("id", pa.int64())]), ("'name' of type string", "'id'", "column 1")),
        (pa.schema([("id", pa.int64())]), ("no column", "'name' of type string", "column 2")),
        (pa.schema([*SCHEMA, ("more", pa.bool_())]), ("'more' of type bool", "no further column", "column 3")),
    ],
    ids=["type", "name", "order", "missing", "more"],
)
def test_another_schema_is_refused_naming_column_and_both_types(delivered: pa.Schema, words: tuple[str, ...]) -> None:
    data = pa.RecordBatch.from_pylist([], schema=delivered)
    with pytest.raises(InternalError) as caught:
        accepted(data, PLAN, SCHEMA)
    assert caught.value.code == "RIVET_RUN_BATCH_SCHEMA"
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    "make",
    [
        lambda text: text,
        lambda text: pa.ExtensionArray.from_storage(pa.json_(), text),
        lambda text: pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), text),
        lambda text: pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), text, safe=False),
    ],
    ids=["text", "json", "list", "dictionary"],
)
def test_text_that_is_not_utf8_is_refused_naming_the_column(make) -> None:  # noqa: ANN001
    column = make(broken_text())
    schema = pa.schema([("note", column.type)])
    with pytest.raises(RefusalError) as caught:
        accepted(pa.record_batch([column], schema=schema), dataset_plan(schema), schema)
    assert caught.value.code == "RIVET_SOURCE_VALUE_UNREPRESENTABLE"
    assert caught.value.place is not None
    assert (caught.value.place.relation, caught.value.place.field) == ("things", "note")
