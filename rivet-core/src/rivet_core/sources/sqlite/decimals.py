"""From integers, binary reals and text to decimals, without ever rounding.

A real is the decimal ``r / 10**s`` when dividing gives that very real again: below 2**53 both are exact and IEEE
division rounds correctly, so the comparison is a proof.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.sources.sqlite.limits import CERTAIN_DIGITS, EXACT_POWER

_ZERO: Final = pa.scalar(0.0)
_PLAIN: Final = r"^-?[0-9]+(\.[0-9]+)?$"


def from_integers(numbers: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return int64 numbers as decimals.

    :raises pa.ArrowInvalid: when one has more digits than the decimal.
    """
    return numbers.cast(pa.utf8()).cast(wanted)


def from_text(texts: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return plain decimal text as decimals.

    :raises ValueError: for text that is no plain number.
    :raises pa.ArrowInvalid: when one has more digits than the decimal.
    """
    if pc.all(pc.match_substring_regex(texts, _PLAIN)).as_py() is False:
        msg = "not a plain decimal number"
        raise ValueError(msg)
    return texts.cast(wanted)


def from_reals(numbers: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return float64 numbers as decimals.

    :raises ValueError: when one has more than 15 digits, or more behind the point than the scale.
    :raises pa.ArrowInvalid: when one has more digits than the decimal.
    """
    reals = numbers.fill_null(_ZERO).to_numpy(zero_copy_only=False)
    scale, whole = wanted.scale, wanted.precision - wanted.scale
    if scale <= CERTAIN_DIGITS and (np.abs(reals) < float(10 ** min(CERTAIN_DIGITS - scale, whole))).all():
        unit = float(10**scale)
        scaled = np.rint(reals * unit)
        if (scaled / unit == reals).all():
            return _unscaled(scaled.astype(np.int64), numbers, wanted)
    elif _are_decimals(reals, scale).all():
        return numbers.cast(pa.utf8()).cast(wanted)
    msg = "not a decimal of this scale"
    raise ValueError(msg)


def _are_decimals(reals: npt.NDArray[np.float64], scale: int) -> npt.NDArray[np.bool_]:
    """Return which are decimals of at most 15 digits, so many of them behind the point as each leaves room for."""
    found = np.zeros(len(reals), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for digits in range(min(scale, EXACT_POWER) + 1):
            unit = float(10**digits)
            scaled = np.rint(reals * unit)
            found |= (np.abs(scaled) < 10.0**CERTAIN_DIGITS) & (scaled / unit == reals)
    return found


def _unscaled(values: npt.NDArray[np.int64], nulls_of: pa.Array, wanted: pa.DataType) -> pa.Array:
    """Return the decimals with these unscaled values and the other array's NULLs."""
    narrow = wanted if pa.types.is_decimal128(wanted) else pa.decimal128(38, wanted.scale)
    words = np.empty((len(values), 2), dtype="<i8")
    words[:, 0] = values
    words[:, 1] = values >> 63
    validity = None
    if nulls_of.null_count:
        valid = pc.is_valid(nulls_of).to_numpy(zero_copy_only=False)
        validity = pa.py_buffer(np.packbits(valid, bitorder="little").tobytes())
    array = pa.Array.from_buffers(narrow, len(values), [validity, pa.py_buffer(words)], nulls_of.null_count)
    return array if narrow == wanted else array.cast(wanted)
