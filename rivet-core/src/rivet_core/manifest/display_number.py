"""Floats and decimals as the text arrow-rs displays: Arrow's own casts, put right where they differ.

Floats: the shortest digits that read back, always with a point or an exponent (`1.0`, `1e16`).
Decimals: all digits of the scale, never an exponent.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_PLAIN_FROM: Final = 1e-4
_PLAIN_BELOW: Final = 1e9

_POINT_RANGE: Final = {pa.float32(): (-6, 13), pa.float64(): (-5, 16)}
"""A float has no exponent where the place of its point lies above the first, up to the second."""

_PARTS: Final = r"^(?P<sign>-?)(?P<whole>\d+)(?:\.(?P<part>\d+))?(?:e\+?(?P<exponent>-?\d+))?$"


def float_texts(array: pa.Array) -> pa.StringArray:
    """Render 32- or 64-bit floats; null where the array is null."""
    texts = array.cast(pa.string())
    values = pc.fill_null(array, 0.0).to_numpy()
    size = np.abs(values)
    plain = (values == 0) | ((size >= _PLAIN_FROM) & (size < _PLAIN_BELOW))
    whole = plain & (np.where(plain, values, 0.5) % 1 == 0)
    if whole.any():
        texts = pc.if_else(pa.array(whole), _join(texts, ".0"), texts)
    undefined = np.isnan(values)
    if undefined.any():
        texts = pc.if_else(pa.array(undefined), pa.scalar("NaN"), texts)
    other = np.isfinite(values) & ~plain
    if other.any():
        mask = pa.array(other)
        texts = pc.replace_with_mask(texts, mask, _rearranged(texts.filter(mask), array.type))
    return texts


def _rearranged(texts: pa.StringArray, data_type: pa.DataType) -> pa.StringArray:
    parts = pc.extract_regex(texts, pattern=_PARTS)
    sign, whole, part, exponent = (pc.struct_field(parts, name) for name in ("sign", "whole", "part", "exponent"))
    exponent = pc.if_else(pc.equal(exponent, ""), "0", exponent).cast(pa.int64())
    padded = _join(whole, part)
    digits = pc.utf8_ltrim(padded, "0")
    leading = pc.subtract(pc.binary_length(padded), pc.binary_length(digits))
    point = pc.subtract(pc.add(pc.binary_length(whole), exponent), leading).to_numpy()
    digits = pc.utf8_rtrim(digits, "0")
    above, up_to = _POINT_RANGE[data_type]
    result = _with_exponent(digits, point)
    for place in np.unique(point[(point > above) & (point <= up_to)]).tolist():
        mask = pa.array(point == place)
        result = pc.replace_with_mask(result, mask, _with_point(digits.filter(mask), place))
    return _join(sign, result)


def _with_exponent(digits: pa.StringArray, point: np.typing.NDArray[np.int64]) -> pa.StringArray:
    rest = pc.utf8_slice_codeunits(digits, 1)
    rest = pc.if_else(pc.equal(rest, ""), "", _join(".", rest))
    first = pc.utf8_slice_codeunits(digits, 0, 1)
    return _join(first, rest, "e", pa.array(point - 1).cast(pa.string()))


def _with_point(digits: pa.StringArray, place: int) -> pa.StringArray:
    if place <= 0:
        return _join("0." + "0" * -place, digits)
    digits = pc.utf8_rpad(digits, place + 1, "0")
    return _join(pc.utf8_slice_codeunits(digits, 0, place), ".", pc.utf8_slice_codeunits(digits, place))


def decimal_texts(array: pa.Array) -> pa.StringArray:
    """Render decimals of any width; null where the array is null."""
    scale = array.type.scale
    if scale < 0:
        return _join(_unscaled(array), "0" * -scale)
    texts = array.cast(pa.string())
    exponents = pc.fill_null(pc.match_substring(texts, "E"), False)  # noqa: FBT003
    if not pc.any(exponents).as_py():
        return texts
    # Arrow writes an exponent only for small fractions, so no digit stands before the point.
    unscaled = _unscaled(array.filter(exponents))
    sign = pc.if_else(pc.starts_with(unscaled, "-"), "-0.", "0.")
    digits = pc.utf8_lpad(pc.utf8_ltrim(unscaled, "-"), scale, "0")
    return pc.replace_with_mask(texts, exponents, _join(sign, digits))


def _unscaled(array: pa.Array) -> pa.StringArray:
    kind = type(array.type)
    whole = {
        pa.Decimal32Type: pa.decimal32,
        pa.Decimal64Type: pa.decimal64,
        pa.Decimal128Type: pa.decimal128,
        pa.Decimal256Type: pa.decimal256,
    }[kind](array.type.precision, 0)
    same = pa.Array.from_buffers(whole, len(array), array.buffers(), offset=array.offset)
    return same.cast(pa.string())


def _join(*pieces: pa.Array | str) -> pa.StringArray:
    return pc.binary_join_element_wise(*pieces, "")
