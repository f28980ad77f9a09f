"""Days since 1970 and the proleptic Gregorian calendar, for any number of years before and after it, by column."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int64]


def civil(days: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Split days since 1970 into years, months and days; the year before 1 is 0."""
    # Years begin in March here, so that the day that only leap years have is the last one of a year.
    since = days + 719_468
    cycle = since // 146_097
    rest = since - cycle * 146_097
    year = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    of_year = rest - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month = month + np.where(month < 10, 3, -9)
    return year + cycle * 400 + (month <= 2), month, day


def days_of(year: Numbers, month: Numbers, day: Numbers) -> Numbers:
    """Return days since 1970; the counterpart of :func:`civil`."""
    year = year - (month <= 2)
    cycle = year // 400
    rest = year - cycle * 400
    of_year = (153 * (month + np.where(month > 2, -3, 9)) + 2) // 5 + day - 1
    days: Numbers = cycle * 146_097 + rest * 365 + rest // 4 - rest // 100 + of_year - 719_468
    return days
