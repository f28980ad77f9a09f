"""Which values an override has no place for, and who finds them: the server while casting, or the read afterwards."""

from __future__ import annotations

from typing import Final

import attrs
import pyarrow as pa

from rivet_source_postgres.pinned import operator, pinned
from rivet_source_postgres.quoting import literal
from rivet_source_postgres.selects import TEXT, Select

#: Bits and decimal digits of what casts to integers without a loss.
_BITS: Final = {"bool": 1, "int2": 16, "int4": 32, "oid": 33, "int8": 64}
_DIGITS: Final = {"bool": 1, "int2": 5, "int4": 10, "oid": 10, "int8": 19}
_TEXTS: Final = ("text", "varchar", "bpchar", "name")
#: As the server reads it, in every version.
_UUID: Final = r"^([0-9a-fA-F]{4}(-?[0-9a-fA-F]{4}){7}|\{[0-9a-fA-F]{4}(-?[0-9a-fA-F]{4}){7}\})$"
#: Numbers as every version reads them; newer ones also take underscores and other bases than ten.
_NUMBER: Final = r"^[ \t\n\r\f\v]*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?[ \t\n\r\f\v]*$"


@attrs.frozen(kw_only=True)
class Hazard:
    """That a column may have values without a place in the type that an override asks for.

    :param cast: the server's cast finds them, and ends the read.
    :param fits: tells in advance which values the cast takes; None where nobody can.
    """

    cast: bool = False
    fits: Select | None = None


def hazard(source: str, arrow: pa.DataType) -> Hazard | None:
    """Return what may go wrong with a column's values; None for nothing.

    :param source: the type's name, for the server's own scalar types.
    :param arrow: the type of the override.
    """
    if pa.types.is_integer(arrow):
        return _integer(source, arrow)
    if pa.types.is_floating(arrow):
        narrowed = source == "numeric" or (source == "float8" and pa.types.is_float32(arrow))
        return Hazard(cast=True) if narrowed else None
    if pa.types.is_decimal(arrow):
        if _DIGITS.get(source, arrow.precision) <= arrow.precision - arrow.scale:
            return None
        return Hazard(cast=True, fits=_matching(_NUMBER)) if source in _TEXTS else Hazard()
    if pa.types.is_timestamp(arrow) and source == "date":
        return Hazard(cast=True, fits=Select(pinned("{c} < '294277-01-01'::pg_catalog.date")))
    if pa.types.is_timestamp(arrow) or pa.types.is_date32(arrow):
        return Hazard()
    if source in _TEXTS and arrow == pa.uuid():
        return Hazard(cast=True, fits=_matching(_UUID))
    return Hazard(cast=True) if source in _TEXTS and arrow == pa.json_() else None


def _integer(source: str, arrow: pa.DataType) -> Hazard | None:
    if _BITS.get(source, 0) <= arrow.bit_width:
        return None
    most = 2 ** (arrow.bit_width - 1) - 1
    wide = "{c}::pg_catalog.int8"
    return Hazard(cast=True, fits=Select(pinned(f"{wide} >= {-most - 1} AND {wide} <= {most}")))


def _matching(pattern: str) -> Select:
    # The braces of the pattern are none of a template's: only the column's place is one.
    return Select(f"{TEXT.text} {operator('~')} {literal(pattern).strip()}")
