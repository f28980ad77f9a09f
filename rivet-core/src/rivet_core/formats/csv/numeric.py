"""Booleans and numbers as text, and back: whole numbers, the shortest digits of a float, all digits of a decimal."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.laid_out import TEXT, joined

_NAN: Final = "NaN"
_MOST_DIGITS: Final = 76


def is_supported(kind: pa.DataType) -> bool:
    """Tell whether a type is one of those that are rendered here: no float of 16 bits is."""
    types = pa.types
    if types.is_decimal(kind):
        return bool(kind.scale >= 0 or kind.precision - kind.scale <= _MOST_DIGITS)
    floating = types.is_float32(kind) or types.is_float64(kind)
    return bool(types.is_boolean(kind) or types.is_integer(kind) or floating)


def render(array: pa.Array) -> pa.LargeStringArray:
    """Return the text of each cell."""
    kind = array.type
    if pa.types.is_decimal(kind):
        return _render_decimal(array)
    cells = array.cast(TEXT)
    if pa.types.is_floating(kind):
        undefined = pc.is_nan(array)
        if pc.any(undefined).as_py():
            return pc.if_else(undefined, pa.scalar(_NAN, TEXT), cells)
    return cells


def parse(cells: pa.LargeStringArray, kind: pa.DataType) -> pa.Array:
    """Return the values; of null where the type is that.

    :raises ValueError: when a text is no value of the type.
    """
    if pa.types.is_null(kind):
        if cells.null_count < len(cells):
            msg = "a column without values has one"
            raise ValueError(msg)
        return pa.nulls(len(cells))
    if pa.types.is_boolean(kind):
        found = pc.equal(cells, "true")
        if not found.cast(TEXT).equals(cells):
            msg = "a text is neither true nor false"
            raise ValueError(msg)
        return found
    if pa.types.is_decimal(kind) and kind.scale < 0:
        return cells.cast(_whole(kind)).cast(kind)
    return cells.cast(kind)


def _render_decimal(array: pa.Array) -> pa.LargeStringArray:
    scale = array.type.scale
    if scale < 0:
        return array.cast(_whole(array.type)).cast(TEXT)
    cells = array.cast(TEXT)
    # Arrow writes small fractions with an exponent: no digit but zeros is before their point.
    shortened = pc.fill_null(pc.match_substring(cells, "E"), False)  # noqa: FBT003 - Arrow's own signature
    if not pc.any(shortened).as_py():
        return cells
    digits = _unscaled(array.filter(shortened))
    sign = pc.if_else(pc.starts_with(digits, "-"), "-0.", "0.").cast(TEXT)
    return pc.replace_with_mask(cells, shortened, joined(sign, pc.utf8_lpad(pc.utf8_ltrim(digits, "-"), scale, "0")))


def _unscaled(array: pa.Array) -> pa.LargeStringArray:
    kind = array.type
    make = getattr(pa, type(kind).__name__.removesuffix("Type").lower())
    whole = make(kind.precision, 0)
    return pa.Array.from_buffers(whole, len(array), array.buffers(), offset=array.offset).cast(TEXT)


def _whole(kind: pa.DataType) -> pa.DataType:
    """Return a type of the same values without a negative scale."""
    return pa.decimal256(kind.precision - kind.scale, 0)
