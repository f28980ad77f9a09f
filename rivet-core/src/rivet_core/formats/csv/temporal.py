"""Dates, times and instants as ISO 8601 text, and back.

A cell is a fixed text, and before it a sign and more digits where a year has more than four or is negative, or a
duration has more than 99 hours or is negative.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.calendar import Numbers, civil, days_of
from rivet_core.formats.csv.laid_out import TEXT, Bytes, from_matrix, joined, laid_out, nulls_of

Flags: TypeAlias = npt.NDArray[np.bool_]
Counts: TypeAlias = Numbers | npt.NDArray[np.uint64]

_DATE: Final = b"0000-00-00"
_CLOCK: Final = b"00:00:00."
_A_DAY: Final = 86_400
_A_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_UNLIKE: Final = "a text is no {} as it is written here"
_PAIRS: Final = np.array([b"%02d" % n for n in range(100)]).view("<u2")


def is_supported(kind: pa.DataType) -> bool:
    """Tell whether a type is one of those that are rendered here."""
    return bool(pa.types.is_date32(kind) or pa.types.is_time(kind) or pa.types.is_timestamp(kind))


def render(array: pa.Array) -> pa.LargeStringArray:
    """Return the text of each cell: instants end in ``Z``, and seconds have six digits after the point, or nine."""
    kind = array.type
    ticks = _ticks(array)
    matrix = np.empty((len(ticks), len(_template(kind))), np.uint8)
    matrix[:] = np.frombuffer(_template(kind), np.uint8)
    if pa.types.is_time(kind):
        before = _put_duration(matrix, ticks, kind.unit)
    else:
        scale = 1 if pa.types.is_date32(kind) else _A_DAY * _A_SECOND[kind.unit]
        days = ticks // scale
        before = _put_date(matrix, days)
        if scale > 1:
            _put_clock(matrix, len(_DATE) + 1, ticks - days * scale, kind.unit)
    cells = from_matrix(matrix)
    return nulls_of(array, cells if before is None else joined(before, cells))


def parse(cells: pa.LargeStringArray, kind: pa.DataType) -> pa.Array:
    """Return the values of texts that :func:`render` made.

    :raises ValueError: when it would not have made one of them.
    """
    template = _template(kind)
    texts = pc.fill_null(cells, template.decode())
    before = None
    if len(texts) and pc.min_max(pc.binary_length(texts)).as_py() != {"min": len(template), "max": len(template)}:
        before = pc.utf8_slice_codeunits(texts, 0, -len(template))
        texts = pc.utf8_slice_codeunits(texts, -len(template))
    data, _ = laid_out(texts)
    if len(data) != len(texts) * len(template):
        raise ValueError(_UNLIKE.format(kind))
    matrix = data.reshape(len(texts), len(template))
    negative, upper = _signed(before, len(texts))
    if pa.types.is_time(kind):
        hours = upper * 100 + _number(matrix, 0, 2)
        size = _seconds(matrix, 0, kind.unit) + hours * 3600 * _A_SECOND[kind.unit]
        ticks = np.where(negative, -size, size)
    else:
        year = upper * 10_000 + _number(matrix, 0, 4)
        ticks = days_of(np.where(negative, -year, year), _number(matrix, 5, 2), _number(matrix, 8, 2))
        if not pa.types.is_date32(kind):
            ticks = ticks * (_A_DAY * _A_SECOND[kind.unit]) + _clock(matrix, len(_DATE) + 1, kind.unit)
    storage = pa.int64() if kind.bit_width == 64 else pa.int32()
    values = pa.array(ticks).cast(storage)
    found = nulls_of(cells, values).view(kind)
    # Nothing was looked at but digits in their places: the rest must be the same again.
    if not render(found).equals(cells):
        raise ValueError(_UNLIKE.format(kind))
    return found


def _template(kind: pa.DataType) -> bytes:
    if pa.types.is_date32(kind):
        return _DATE
    clock = _CLOCK + b"0" * (9 if kind.unit == "ns" else 6)
    if pa.types.is_time(kind):
        return clock
    return _DATE + b"T" + clock + (b"" if kind.tz is None else b"Z")


def _ticks(array: pa.Array) -> Numbers:
    """Return the counts behind the values, 0 for NULL."""
    counts = array.view(pa.int64() if array.type.bit_width == 64 else pa.int32())
    ticks: Numbers = pc.fill_null(counts, 0).to_numpy().astype(np.int64, copy=False)
    return ticks


def _put_date(matrix: Bytes, days: Numbers) -> pa.Array | None:
    year, month, day = civil(days)
    size = np.abs(year)
    _put(matrix, 0, size % 10_000, 4)
    _put(matrix, 5, month, 2)
    _put(matrix, 8, day, 2)
    return _sign(year < 0, size // 10_000, plus="+")


def _put_duration(matrix: Bytes, ticks: Numbers, unit: str) -> pa.Array | None:
    # The size of the lowest number is one more than a signed one can be.
    size = np.abs(ticks).view(np.uint64)
    a_hundred_hours = 360_000 * _A_SECOND[unit]
    upper = size // a_hundred_hours
    _put_clock(matrix, 0, size - upper * a_hundred_hours, unit)
    return _sign(ticks < 0, upper, plus="")


def _sign(negative: Flags, upper: Counts, *, plus: str) -> pa.Array | None:
    """Return what stands before the fixed text, or None where that is nothing in all rows."""
    if not (negative.any() or upper.any()):
        return None
    more = pa.array(upper > 0)
    digits = pc.if_else(more, pa.array(upper).cast(TEXT), pa.scalar("", TEXT))
    sign = pc.if_else(pa.array(negative), "-", pc.if_else(more, plus, "")).cast(TEXT)
    return joined(sign, digits)


def _signed(before: pa.Array | None, rows: int) -> tuple[Flags, Numbers]:
    if before is None:
        return np.zeros(rows, np.bool_), np.zeros(rows, np.int64)
    digits = pc.ascii_ltrim(before, "+-")
    upper = pc.if_else(pc.equal(digits, ""), pa.scalar("0", TEXT), digits).cast(pa.int64())
    return pc.starts_with(before, "-").to_numpy(zero_copy_only=False), upper.to_numpy()


def _put_clock(matrix: Bytes, at: int, ticks: Counts, unit: str) -> None:
    a_second = _A_SECOND[unit]
    seconds = ticks // a_second
    minutes = seconds // 60
    hours = minutes // 60
    _put(matrix, at, hours, 2)
    _put(matrix, at + 3, minutes - hours * 60, 2)
    _put(matrix, at + 6, seconds - minutes * 60, 2)
    if a_second > 1:
        _put(matrix, at + len(_CLOCK), ticks - seconds * a_second, len(str(a_second)) - 1)


def _clock(matrix: Bytes, at: int, unit: str) -> Numbers:
    return _seconds(matrix, at, unit) + _number(matrix, at, 2) * (3600 * _A_SECOND[unit])


def _seconds(matrix: Bytes, at: int, unit: str) -> Numbers:
    """Return minutes, seconds and what follows the point, in the unit."""
    a_second = _A_SECOND[unit]
    whole = _number(matrix, at + 3, 2) * 60 + _number(matrix, at + 6, 2)
    return whole * a_second + (_number(matrix, at + len(_CLOCK), len(str(a_second)) - 1) if a_second > 1 else 0)


def _put(matrix: Bytes, at: int, numbers: Counts, places: int) -> None:
    end = at + places
    while end - at > 1:
        rest = numbers // 100
        matrix[:, end - 2 : end].view(_PAIRS.dtype)[:, 0] = _PAIRS[numbers - rest * 100]
        numbers, end = rest, end - 2
    if end > at:
        matrix[:, at] = 48 + numbers


def _number(matrix: Bytes, at: int, places: int) -> Numbers:
    found = np.zeros(len(matrix), np.int64)
    for place in range(at, at + places):
        found = found * 10 + matrix[:, place] - 48
    return found
