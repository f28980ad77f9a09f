"""SQL conditions under which a value keeps its column's promise: what ``on_invalid_value: null`` selects by.

They agree with the conversions in ``convert``: what a condition lets through converts, and the other way round.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from rivet_core.sources.sqlite.limits import CERTAIN_DIGITS, EXACT_POWER, SINGLE_LIMIT
from rivet_core.sources.sqlite.types import JSON, UUID

_INT64: Final = (1 << 63) - 1
#: GLOB patterns of the zone behind an instant, with their lengths.
_ZONES: Final = (
    ("Z", 1),
    ("[+-][0-2][0-9]", 3),
    ("[+-][0-2][0-9][0-5][0-9]", 5),
    ("[+-][0-2][0-9]:[0-5][0-9]", 6),
)


def keeps_promise(value: str, wanted: pa.DataType) -> str:
    """Return a condition that holds exactly for the values of ``wanted``.

    :param value: the qualified column.
    """
    if pa.types.is_boolean(wanted):
        return f"typeof({value}) = 'integer' AND {value} IN (0, 1)"
    if pa.types.is_integer(wanted):
        limit = 1 << (wanted.bit_width - 1)
        return f"typeof({value}) = 'integer' AND {value} BETWEEN {1 - limit} - 1 AND {limit - 1}"
    if pa.types.is_floating(wanted):
        narrow = wanted == pa.float32()
        exact = 1 << (24 if narrow else 53)
        reals = f"typeof({value}) = 'real'" + (f" AND abs({value}) < {SINGLE_LIMIT!r}" if narrow else "")
        return f"(({reals}) OR (typeof({value}) = 'integer' AND {value} BETWEEN {-exact} AND {exact}))"
    if pa.types.is_decimal(wanted):
        return _decimal(value, wanted.precision, wanted.scale)
    if wanted == UUID:
        return _uuid(value)
    if wanted == JSON:
        return f"typeof({value}) <> 'blob'"
    if pa.types.is_binary(wanted):
        return f"typeof({value}) = 'blob'"
    if pa.types.is_date(wanted):
        return f"typeof({value}) = 'text' AND length({value}) = 10 AND {_day(value)}"
    if pa.types.is_time(wanted):
        return f"typeof({value}) = 'text' AND {_clock(value, 6)}"
    if pa.types.is_timestamp(wanted):
        return f"typeof({value}) = 'text' AND {_day(value)} AND {_time_behind_day(value, wanted)}"
    return f"typeof({value}) = 'text'"


def _day(value: str) -> str:
    # Counting makes the 1st of March of the 30th of February, so only a real day is still itself.
    return f"date(substr({value}, 1, 10), '+0 days') = substr({value}, 1, 10)"


def _time_behind_day(value: str, wanted: pa.TimestampType) -> str:
    digits = 9 if wanted.unit == "ns" else 6
    split = f"substr({value}, 11, 1) IN (' ', 'T')"
    # The days that nanoseconds reach; of the first and the last one only a part, which is left out.
    within = f"substr({value}, 1, 10) BETWEEN '1677-09-22' AND '2262-04-10' AND " if wanted.unit == "ns" else ""
    if wanted.tz is None:
        return f"{within}(length({value}) = 10 OR ({split} AND {_clock(f'substr({value}, 12)', digits)}))"
    zones = []
    for zone, length in _ZONES:
        hours = "" if zone == "Z" else f" AND substr({value}, {1 - length}, 2) < '24'"
        clock = _clock(f"substr({value}, 12, length({value}) - {11 + length})", digits)
        zones.append(f"({value} GLOB '*{zone}' AND length({value}) >= {13 + length}{hours} AND {clock})")
    return f"{within}{split} AND ({' OR '.join(zones)})"


def _clock(text: str, digits: int) -> str:
    """Return the condition for ``HH``, ``HH:MM``, ``HH:MM:SS`` or that with a fraction."""
    return (
        f"({text} GLOB '[0-2][0-9]*' AND substr({text}, 1, 2) < '24'"
        f" AND (length({text}) = 2 OR substr({text}, 3, 3) GLOB ':[0-5][0-9]')"
        f" AND (length({text}) IN (2, 5) OR substr({text}, 6, 3) GLOB ':[0-5][0-9]')"
        f" AND (length({text}) IN (2, 5, 8) OR (length({text}) BETWEEN 10 AND {9 + digits}"
        f" AND substr({text}, 9, 1) = '.' AND substr({text}, 10) NOT GLOB '*[^0-9]*')))"
    )


def _decimal(value: str, precision: int, scale: int) -> str:
    whole = min(10 ** (precision - scale) - 1, _INT64)
    integer = f"typeof({value}) = 'integer' AND {value} BETWEEN {-whole} AND {whole}"
    # The conversion's own arithmetic, in the same binary reals.
    units = [f"{10**power}.0" for power in range(min(scale, EXACT_POWER) + 1)]
    decimals = " OR ".join(
        f"(abs(round({value} * {unit})) < {10**CERTAIN_DIGITS}.0 AND round({value} * {unit}) / {unit} = {value})"
        for unit in units
    )
    limit = f"{10 ** min(CERTAIN_DIGITS, precision - scale)}.0"
    cases = [integer, f"typeof({value}) = 'real' AND abs({value}) < {limit} AND ({decimals})"]
    digits = f"ltrim({value}, '-')"
    point = f"instr({digits} || '.', '.')"
    cases.append(
        f"typeof({value}) = 'text' AND length({value}) - length({digits}) <= 1"
        f" AND {digits} GLOB '[0-9]*' AND substr({digits}, -1) <> '.' AND {digits} NOT GLOB '*[^0-9.]*'"
        f" AND {digits} NOT GLOB '*.*.*'"
        f" AND length(ltrim(substr({digits}, 1, {point} - 1), '0')) <= {precision - scale}"
        f" AND length(rtrim(substr({digits}, {point} + 1), '0')) <= {scale}"
    )
    return "(" + " OR ".join(f"({case})" for case in cases) + ")"


def _uuid(value: str) -> str:
    compact = f"replace({value}, '-', '')"
    hyphens = " || ".join(f"substr({value}, {place}, 1)" for place in (9, 14, 19, 24))
    return (
        f"((typeof({value}) = 'text' AND length({compact}) = 32 AND {compact} NOT GLOB '*[^0-9a-fA-F]*'"
        f" AND (length({value}) = 32 OR (length({value}) = 36 AND {hyphens} = '----')))"
        f" OR (typeof({value}) = 'blob' AND length({value}) = 16))"
    )
