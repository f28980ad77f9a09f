from __future__ import annotations

import pyarrow as pa
from sink_stand_ins import rows

from rivet_core.engine.sink.counting import counted
from rivet_core.manifest.counters import PartCounters


def test_counts_add_up_over_any_cut() -> None:
    whole = counted(rows(1, 100), "id")
    merged = PartCounters()
    for begin in (0, 7, 60):
        merged = merged.merge(counted(rows(1, 100).slice(begin, {0: 7, 7: 53, 60: 40}[begin]), "id"))
    assert merged == whole


def test_a_checksum_tells_a_changed_cell() -> None:
    changed = rows(1, 3).set_column(1, "name", pa.array(["n1", "n2", "x3"]))
    before, after = dict(counted(rows(1, 3), None).checksums), dict(counted(changed, None).checksums)
    assert (before["id"] == after["id"], before["name"] == after["name"]) == (True, False)


def test_nulls_are_counted_for_every_column() -> None:
    data = pa.record_batch({"b": pa.array([None, 1, None]), "a": pa.array(["x", None, "y"]), "n": pa.nulls(3)})
    assert counted(data, None).nulls == (("a", 1), ("b", 2), ("n", 3))


def test_widths_are_bytes_of_text_and_binary_columns() -> None:
    data = pa.record_batch(
        {
            "text": pa.array(["ä€", "abc", None]),
            "large": pa.array(["x", "", ""], pa.large_string()),
            "bytes": pa.array([b"1234567", None, b""]),
            "json": pa.array(['{"a":1}', None, None], pa.json_()),
            "view": pa.array(["abcd", None, ""], pa.string_view()),
            "none": pa.array([None, None, None], pa.string()),
            "number": pa.array([1, 2, 3]),
        }
    )
    assert dict(counted(data, None).widths) == {"text": 5, "large": 1, "bytes": 7, "json": 7, "view": 4, "none": 0}


def test_no_rows_count_as_nothing() -> None:
    empty = counted(rows(1, 0), None)
    whole = counted(rows(1, 5), None)
    assert whole.merge(empty) == whole
