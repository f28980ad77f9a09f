"""Days and microseconds of the driver as the server writes them; Python's own dates end at the years 1 and 9999.

Only for single values: marks and messages. The driver adds the epochs' distance without looking: what leaves the
range of its integers comes out at their other end, the infinities of the server too.
"""

from __future__ import annotations

from typing import Final

DAY_US: Final = 86_400_000_000
#: The first day that the server knows, 4714-11-24 BC; whatever lies before has wrapped around.
FIRST_DAY: Final = -2_440_588
FIRST_US: Final = FIRST_DAY * DAY_US
_INFINITE_DAYS: Final = {-2_147_472_692: "infinity", -2_147_472_691: "-infinity"}
_INFINITE_US: Final = {-9_222_425_352_054_775_809: "infinity", -9_222_425_352_054_775_808: "-infinity"}
#: From 0000-03-01 to 1970-01-01, with the year beginning in March.
_EPOCH: Final = 719_468
_ERA_DAYS: Final = 146_097


def date_text(days: int) -> str:
    """Return the driver's days since 1970-01-01 as a date, such as ``0044-03-15 BC`` or ``infinity``."""
    if days in _INFINITE_DAYS:
        return _INFINITE_DAYS[days]
    text, era = _date(days)
    return text + era


def timestamp_text(microseconds: int, *, zone: str = "") -> str:
    """Return the driver's microseconds since 1970-01-01 as a time, such as ``0044-03-15 12:00:00.000000+00 BC``."""
    if microseconds in _INFINITE_US:
        return _INFINITE_US[microseconds]
    if microseconds < FIRST_US:
        microseconds += 2**64
    days, rest = divmod(microseconds, DAY_US)
    text, era = _date(days)
    return f"{text} {time_text(rest)}{zone}{era}"


def time_text(microseconds: int) -> str:
    """Return a time of day, up to ``24:00:00.000000``."""
    seconds, fraction = divmod(microseconds, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{fraction:06}"


def _date(days: int) -> tuple[str, str]:
    """Return the date and the era behind it."""
    era, day_of_era = divmod(days + _EPOCH, _ERA_DAYS)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    suffix = " BC" if year <= 0 else ""
    return f"{year if year > 0 else 1 - year:04}-{month:02}-{day:02}", suffix
