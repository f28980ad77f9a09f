"""Cells as the text that arrow-rs displays, for hashing rows; nothing here is shown to anyone."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest import display_time
from rivet_core.manifest.canonical import binary_from_offsets
from rivet_core.manifest.display_number import decimal_texts, float_texts
from rivet_core.manifest.display_time import UTC_ZONES

_HEX: Final = np.array([b"%02x" % n for n in range(256)]).view("<u2")


def has_display(data_type: pa.DataType) -> bool:
    """Tell whether `display` renders a type.

    It renders scalars, but no half floats, durations, intervals, or timestamps of a zone other than UTC.
    """
    types = pa.types
    if types.is_timestamp(data_type):
        return data_type.tz is None or data_type.tz in UTC_ZONES
    return bool(
        types.is_null(data_type)
        or types.is_boolean(data_type)
        or types.is_integer(data_type)
        or types.is_float32(data_type)
        or types.is_float64(data_type)
        or types.is_decimal(data_type)
        or types.is_date(data_type)
        or types.is_time(data_type)
        or _is_text(data_type)
        or _is_binary(data_type)
    )


def display(array: pa.Array) -> pa.LargeBinaryArray:
    """Return the text of each cell, without nulls: the text of a null cell is arbitrary.

    Compared with rivet-cli: booleans, signed integers, floats, decimals, dates, microsecond times
    and timestamps, strings and binaries. Other units and widths follow the same rules. A time
    outside one day, which has no text there, is rendered as its count.

    :param array: of a type that `has_display`.
    """
    data_type = array.type
    if _is_text(data_type):
        return _plain(array)
    if _is_binary(data_type):
        return _hex(_plain(array))
    if pa.types.is_date(data_type) or pa.types.is_timestamp(data_type):
        return _date(array)
    if pa.types.is_time(data_type):
        return _time(array)
    if pa.types.is_floating(data_type):
        return _plain(float_texts(array))
    if pa.types.is_decimal(data_type):
        return _plain(decimal_texts(array))
    return _plain(array.cast(pa.string()))


def _is_text(data_type: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(data_type) or types.is_large_string(data_type) or types.is_string_view(data_type))


def _is_binary(data_type: pa.DataType) -> bool:
    types = pa.types
    return bool(
        types.is_binary(data_type)
        or types.is_large_binary(data_type)
        or types.is_binary_view(data_type)
        or types.is_fixed_size_binary(data_type)
    )


def _plain(array: pa.Array) -> pa.LargeBinaryArray:
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())
    if pa.types.is_fixed_size_binary(array.type):
        array = array.cast(pa.binary())
    return pc.fill_null(array.cast(pa.large_binary()), b"")


def _hex(cells: pa.LargeBinaryArray) -> pa.LargeBinaryArray:
    offsets = np.frombuffer(cells.buffers()[1], np.int64)[cells.offset :][: len(cells) + 1]
    buffer = cells.buffers()[2]
    data = np.frombuffer(buffer, np.uint8) if buffer else np.zeros(0, np.uint8)
    used = data[offsets[0] : offsets[-1]]
    return binary_from_offsets(_HEX[used].view(np.uint8), 2 * (offsets - offsets[0]))


def _date(array: pa.Array) -> pa.LargeBinaryArray:
    ticks = display_time.ticks_of(array)
    if pa.types.is_date32(array.type):
        return binary_from_offsets(*display_time.date_cells(ticks))
    if pa.types.is_date64(array.type):
        return binary_from_offsets(*display_time.timestamp_cells(ticks, "ms", suffix=b""))
    suffix = b"" if array.type.tz is None else b"Z"
    cells = display_time.timestamp_cells(ticks, array.type.unit, suffix=suffix)
    return binary_from_offsets(*cells)


def _time(array: pa.Array) -> pa.LargeBinaryArray:
    ticks = display_time.ticks_of(array)
    outside = (ticks < 0) | (ticks >= display_time.ticks_a_day(array.type.unit))
    cells = display_time.time_cells(np.where(outside, 0, ticks), array.type.unit)
    texts = binary_from_offsets(*cells)
    if not outside.any():
        return texts
    return pc.if_else(pa.array(outside), _plain(pa.array(ticks).cast(pa.string())), texts)
