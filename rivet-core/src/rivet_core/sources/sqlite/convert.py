"""From one column of a chunk to an Arrow array of exactly the planned type; a value that does not fit is an error."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.sources.sqlite import decimals
from rivet_core.sources.sqlite.storage import Values, classes, split
from rivet_core.sources.sqlite.text import exact_text
from rivet_core.sources.sqlite.types import JSON, UUID
from rivet_core.types import Column, Fidelity

Conversion = Callable[[Values], pa.Array]

#: What a conversion raises for a value that the type cannot hold.
MISFIT: Final = (ValueError, OverflowError, pa.ArrowInvalid, pa.ArrowTypeError)

_UUID = re.compile(r"^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$").pattern
# Ready-made: turning a Python value into a scalar costs more than the chunk that it is used on.
_ZERO_UUID = pa.scalar("0" * 32)
_FIRST_DAY, _BLANK = pa.scalar("1970-01-01"), pa.scalar(" ")


def conversion(column: Column) -> Conversion:
    """Return the conversion for a column, to be used for all its chunks."""
    wanted = column.field.type
    if column.fidelity is Fidelity.TEXT:
        return exact_text
    if pa.types.is_boolean(wanted):
        return _booleans
    if pa.types.is_integer(wanted):
        return _plain(wanted, int)
    if pa.types.is_floating(wanted):
        return _singles if wanted == pa.float32() else _plain(wanted, int, float)
    if pa.types.is_decimal(wanted):
        return lambda values: _decimals(values, wanted)
    if pa.types.is_time(wanted):
        return lambda values: _times(values, wanted)
    if pa.types.is_temporal(wanted):
        return lambda values: _strings(values).cast(wanted)
    if wanted == UUID:
        return _uuids
    if wanted == JSON:
        return _documents
    if wanted == pa.binary():
        return _plain(wanted, bytes)
    return _plain(wanted, str)


def first_misfit(values: Values, convert: Conversion) -> object:
    """Return the first value that a failing conversion cannot take, in ``log n`` conversions."""
    while len(values) > 1:
        middle = len(values) // 2
        try:
            convert(values[:middle])
        except MISFIT:
            values = values[:middle]
        else:
            values = values[middle:]
    return values[0]


def _plain(wanted: pa.DataType, *allowed: type) -> Conversion:
    """Return the direct conversion.

    Arrow alone would cut 1.5 to 1 for an integer, and take text for a blob, so the storage classes are looked at first.
    """

    def convert(values: Values) -> pa.Array:
        _only(values, *allowed)
        return pa.array(values, wanted)

    return convert


def _only(values: Values, *allowed: type) -> None:
    strangers = classes(values).difference(allowed)
    if strangers:
        msg = f"storage class {', '.join(sorted(kind.__name__ for kind in strangers))}"
        raise ValueError(msg)


def _strings(values: Values) -> pa.Array:
    _only(values, str)
    return pa.array(values, pa.utf8())


def _singles(values: Values) -> pa.Array:
    array = _plain(pa.float32(), int, float)(values)
    if pc.any(pc.is_inf(array)).as_py():
        msg = "too large for single precision"
        raise ValueError(msg)
    return array


def _booleans(values: Values) -> pa.Array:
    _only(values, int)
    numbers = pa.array(values, pa.int64())
    extremes = pc.min_max(numbers).as_py()
    if not {extremes["min"], extremes["max"]} <= {0, 1, None}:
        msg = "neither 0 nor 1"
        raise ValueError(msg)
    return numbers.cast(pa.bool_())


def _times(values: Values, wanted: pa.DataType) -> pa.Array:
    # Arrow reads no times, but timestamps: one of the first day has the time as its own microseconds.
    texts = pc.binary_join_element_wise(_FIRST_DAY, _strings(values), _BLANK)
    return texts.cast(pa.timestamp("us")).cast(pa.int64()).cast(wanted)


def _decimals(values: Values, wanted: pa.DataType) -> pa.Array:
    found = classes(values)
    if found == {int, float}:
        # The common case of a NUMERIC column: whole amounts are integers, the others reals.
        try:
            return decimals.from_reals(pa.array(values, pa.float64()), wanted)
        except MISFIT:
            pass
    pieces = []
    for kind, column in split(values).items():
        if kind is int:
            pieces.append(decimals.from_integers(pa.array(column, pa.int64()), wanted))
        elif kind is float:
            pieces.append(decimals.from_reals(pa.array(column, pa.float64()), wanted))
        else:
            pieces.append(decimals.from_text(_strings(column), wanted))
    return _merged(pieces, len(values), wanted)


def _uuids(values: Values) -> pa.Array:
    pieces = []
    for kind, column in split(values).items():
        if kind is bytes:
            pieces.append(pa.array(column, UUID.storage_type))
        else:
            pieces.append(_unhexed(_strings(column)))
    return pa.ExtensionArray.from_storage(UUID, _merged(pieces, len(values), UUID.storage_type))


def _unhexed(texts: pa.Array) -> pa.Array:
    if pc.all(pc.match_substring_regex(texts, _UUID)).as_py() is False:
        msg = "not a UUID"
        raise ValueError(msg)
    digits = pc.replace_substring(texts, "-", "").fill_null(_ZERO_UUID)
    octets = bytes.fromhex(digits.buffers()[2].to_pybytes()[: 32 * len(digits)].decode("ascii"))
    filled = pa.Array.from_buffers(UUID.storage_type, len(texts), [None, pa.py_buffer(octets)])
    return pc.if_else(pc.is_valid(texts), filled, pa.scalar(None, UUID.storage_type)) if texts.null_count else filled


def _documents(values: Values) -> pa.Array:
    if bytes in classes(values):
        msg = "a blob is no JSON text"
        raise ValueError(msg)
    return pa.ExtensionArray.from_storage(JSON, exact_text(values))


def _merged(pieces: list[pa.Array], length: int, wanted: pa.DataType) -> pa.Array:
    if not pieces:
        return pa.nulls(length, wanted)
    return pieces[0] if len(pieces) == 1 else pc.coalesce(*pieces)
