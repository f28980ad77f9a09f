"""Generated data: Arrow tables of any schema for formats, and keyed rows for runners."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

LOWEST, HIGHEST = -(2**63), 2**63 - 1

_MICROSECOND = 10**6
#: Days and microseconds that Python's own dates can show, so that any reader can be compared.
_DAYS = st.integers(-719_162, 2_932_896)
_INSTANTS = st.integers(-719_162 * 86_400 * _MICROSECOND, 2_932_896 * 86_400 * _MICROSECOND)
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)

_FLAT: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.bool_(), st.booleans()),
    (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    (pa.int32(), st.integers(-(2**31), 2**31 - 1)),
    (pa.int64(), st.integers(LOWEST, HIGHEST)),
    (pa.uint64(), st.integers(0, 2**64 - 1)),
    (pa.float32(), st.floats(width=32, allow_nan=False)),
    (pa.float64(), st.floats(allow_nan=False)),
    (pa.string(), _TEXT),
    (pa.binary(), st.binary(max_size=12)),
    (pa.decimal128(38, 9), st.decimals(-(10**20), 10**20, places=9, allow_nan=False)),
    (pa.decimal128(18, 2), st.decimals(-(10**12), 10**12, places=2, allow_nan=False)),
    (pa.date32(), _DAYS),
    (pa.time64("us"), st.integers(0, 86_400 * _MICROSECOND - 1)),
    (pa.timestamp("us"), _INSTANTS),
    (pa.timestamp("us", tz="UTC"), _INSTANTS),
]
_NESTED: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.list_(pa.int64()), st.lists(st.none() | st.integers(LOWEST, HIGHEST), max_size=4)),
    (pa.list_(pa.string()), st.lists(st.none() | _TEXT, max_size=4)),
    (
        pa.struct([("a", pa.int64()), ("b", pa.string())]),
        st.fixed_dictionaries({"a": st.none() | st.integers(0, 9), "b": st.none() | _TEXT}),
    ),
]
_NAMES = st.lists(
    st.sampled_from(
        ["id", "Two Words", 'q"uote', "it's", "a,b", "dot.ted", "ünïcode", "select", "new\nline", "x;y", "日本"]
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@st.composite
def tables(draw: st.DrawFn, *, nested: bool) -> pa.Table:
    """Generate a table of one to six columns and up to 30 rows, with NULLs.

    :param nested: whether lists and structs may be among the columns; one is, where they may.
    """
    names = draw(_NAMES)
    rows = draw(st.integers(0, 30))
    columns = {}
    for number, name in enumerate(names):
        kind, values = draw(st.sampled_from(_NESTED if nested and number == 0 else _FLAT))
        cells = draw(st.lists(st.none() | values, min_size=rows, max_size=rows))
        columns[name] = _array(cells, kind)
    return pa.table(columns)


def _array(cells: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_temporal(kind):
        # Built from integers: Python's own date and time types stop short of some that Arrow holds.
        return pa.array(cells, pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)
    return pa.array(cells, kind)


def ledger_rows() -> st.SearchStrategy[pa.Table]:
    """Generate rows like those of the sample ``ledger``: ``id`` unique, ``tie`` with ties, ``gap`` with NULLs too."""
    near = st.integers(-3, 60)
    ids = st.lists(near | st.integers(LOWEST, HIGHEST), max_size=40, unique=True)
    return ids.flatmap(
        lambda found: st.builds(
            lambda ties, gaps: _ledger(found, ties, gaps),
            st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)),
            st.lists(st.none() | st.integers(-2, 6), min_size=len(found), max_size=len(found)),
        )
    )


def _ledger(ids: list[int], ties: list[int], gaps: list[int | None]) -> pa.Table:
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "tie": pa.array(ties, pa.int64()),
            "gap": pa.array(gaps, pa.int64()),
            "text": pa.array([f"row {number}" for number in ids], pa.string()),
            "amount": pa.array([number / 4 for number in ties], pa.float64()),
            "bytes": pa.array([b"%d" % number for number in ids], pa.binary()),
        }
    )
