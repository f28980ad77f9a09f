"""NUMERIC: from a type modifier to an Arrow decimal, and from the driver's text to that decimal."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

_HEADER: Final = 4
#: Digits that fit.
_DECIMAL128: Final = 38
_DECIMAL256: Final = 76


def numeric_type(modifier: int) -> pa.DataType | None:
    """Return the decimal of a modifier; None for no modifier, or more digits than Arrow has.

    A negative scale, and a scale above the precision, become a wider type with a scale that files can hold.
    """
    if modifier < _HEADER:
        return None
    precision = ((modifier - _HEADER) >> 16) & 0xFFFF
    # Eleven bits with a sign.
    scale = (((modifier - _HEADER) & 0x7FF) ^ 1024) - 1024
    if scale < 0:
        precision, scale = precision - scale, 0
    return decimal_type(max(precision, scale), scale)


def decimal_type(precision: int, scale: int) -> pa.DataType | None:
    """Return the narrower of Arrow's decimals that fits."""
    if precision <= _DECIMAL128:
        return pa.decimal128(precision, scale)
    return pa.decimal256(precision, scale) if precision <= _DECIMAL256 else None


def cast_decimal(text: pa.Array, target: pa.DataType) -> pa.Array | None:
    """Return the texts as decimals, or None when one of them does not fit."""
    try:
        return pc.cast(text, target)
    except pa.ArrowInvalid:
        return None


def fits_decimal(text: pa.Array, target: pa.DataType) -> pa.Array:
    """Return which texts fit exactly; NULL where the text is NULL."""
    whole = target.precision - target.scale
    pattern = rf"^-?0*[0-9]{{0,{whole}}}(\.[0-9]{{0,{target.scale}}}0*)?$"
    return pc.match_substring_regex(text, pattern)
