"""Dates, times and timestamps as the text arrow-rs displays, rendered by columns of digits.

A fraction of a second has 3, 6 or 9 digits, whatever the value needs, and none when it is zero.
Years outside 0 to 9999 carry a sign. Zones other than UTC are not rendered.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest.xxh3_words import Bytes, Offsets

Numbers: TypeAlias = npt.NDArray[np.int64]
Cells: TypeAlias = tuple[Bytes, Offsets]
Kept: TypeAlias = npt.NDArray[np.bool_]

UTC_ZONES: Final = frozenset({"UTC", "+00:00"})

_A_SECOND: Final = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_SECONDS_A_DAY: Final = 86_400
_DIGITS: Final = np.frombuffer(b"0123456789", np.uint8)
_PAIRS: Final = np.array([b"%02d" % n for n in range(100)]).view("<u2")
_YEAR_PLACES: Final = 8


def date_cells(days: Numbers) -> Cells:
    """Render days since 1970 as `2024-01-31`."""
    text = _Columns(len(days))
    _add_date(text, days)
    return text.cells()


def timestamp_cells(ticks: Numbers, unit: str, *, suffix: bytes) -> Cells:
    """Render ticks since 1970 as `2024-01-31T00:00:00.123456` and a suffix, such as `Z`."""
    text = _Columns(len(ticks))
    days = ticks // ticks_a_day(unit)
    _add_date(text, days)
    text.add(b"T")
    _add_time(text, ticks - days * ticks_a_day(unit), unit)
    text.add(suffix)
    return text.cells()


def time_cells(ticks: Numbers, unit: str) -> Cells:
    """Render ticks since midnight as `13:00:00.5`; all must lie within one day."""
    text = _Columns(len(ticks))
    _add_time(text, ticks, unit)
    return text.cells()


class _Columns:
    """Text of many rows, put together from pieces of one width, of which rows may drop some."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        # Arrays of one item a row, or constants: an item is one or two bytes of text.
        self._pieces: list[tuple[npt.NDArray[Any], Kept | None]] = []

    def add(self, constant: bytes, kept: Kept | None = None) -> None:
        for item in np.frombuffer(constant, np.uint8):
            self._pieces.append((item, kept))

    def add_digits(self, numbers: Numbers, places: int, kept: Kept | None = None) -> None:
        """Add the decimal digits, 1 to 4 places wide, of numbers that are not negative."""
        if places > 2:
            upper = numbers // 100
            self.add_digits(upper, places - 2, kept)
            numbers = numbers - upper * 100
        items = _PAIRS[numbers] if places % 2 == 0 or places > 2 else _DIGITS[numbers]
        self._pieces.append((items, kept))

    def cells(self) -> Cells:
        width = sum(items.dtype.itemsize for items, _ in self._pieces)
        text = np.empty((self._rows, width), dtype=np.uint8)
        mask = None if all(kept is None for _, kept in self._pieces) else np.ones(text.shape, np.bool_)
        at = 0
        for items, kept in self._pieces:
            end = at + items.dtype.itemsize
            text[:, at:end].view(items.dtype)[:, 0] = items
            if mask is not None and kept is not None:
                mask[:, at:end] = kept[:, None]
            at = end
        if mask is None:
            return text.reshape(-1), np.arange(self._rows + 1, dtype=np.int64) * width
        sizes = np.full(self._rows, width, dtype=np.int64)
        for items, kept in self._pieces:
            if kept is not None:
                sizes -= ~kept * np.int64(items.dtype.itemsize)
        return text[mask], np.concatenate(([0], np.cumsum(sizes)))


def _add_date(text: _Columns, days: Numbers) -> None:
    year, month, day = _civil(days)
    if year.size and (year.min() < 0 or year.max() > 9999):
        outside = (year < 0) | (year > 9999)
        text.add(b"-", year < 0)
        text.add(b"+", year > 9999)
        size = np.abs(year)
        for place in range(_YEAR_PLACES, 4, -1):
            shown = outside & (size >= 10 ** (place - 1))
            text.add_digits(size // 10 ** (place - 1) % 10, 1, shown)
        text.add_digits(size % 10_000, 4)
    else:
        text.add_digits(year, 4)
    text.add(b"-")
    text.add_digits(month, 2)
    text.add(b"-")
    text.add_digits(day, 2)


def _add_time(text: _Columns, ticks: Numbers, unit: str) -> None:
    a_second = _A_SECOND[unit]
    seconds = ticks // a_second
    minutes = seconds // 60
    hours = minutes // 60
    text.add_digits(hours, 2)
    text.add(b":")
    text.add_digits(minutes - hours * 60, 2)
    text.add(b":")
    text.add_digits(seconds - minutes * 60, 2)
    # Three digits at a time, as long as any row still has something to show.
    left, scale, mark = ticks - seconds * a_second, a_second, b"."
    while left.any():
        shown = left != 0
        scale //= 1000
        digits = left // scale
        left = left - digits * scale
        kept = None if shown.all() else shown
        text.add(mark, kept)
        text.add_digits(digits, 3, kept)
        mark = b""


def _civil(days: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Split days since 1970 into years, months and days of the proleptic Gregorian calendar.

    Counts from the first of March of year 0, so that the leap day comes last in its year.
    """
    shifted = days + 719_468
    era = shifted // 146_097
    day_of_era = shifted - era * 146_097
    years = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * years + years // 4 - years // 100)
    march_based = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_based + 2) // 5 + 1
    month = np.where(march_based < 10, march_based + 3, march_based - 9)
    return years + era * 400 + (month <= 2), month, day


def ticks_a_day(unit: str) -> int:
    """Return how many ticks of a unit make one day."""
    return _SECONDS_A_DAY * _A_SECOND[unit]


def ticks_of(array: pa.Array) -> Numbers:
    """Return the counts behind a temporal array, with 0 where it is null."""
    narrow = pa.types.is_date32(array.type) or pa.types.is_time32(array.type)
    counts = array.view(pa.int32() if narrow else pa.int64())
    ticks: Numbers = pc.fill_null(counts, 0).to_numpy().astype(np.int64)
    return ticks
