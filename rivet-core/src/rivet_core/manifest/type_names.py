"""The names arrow-rs gives to Arrow types in its debug text, which schema fingerprints hash.

Compared with rivet-cli: booleans, signed integers, floats, decimals, strings, binaries, dates,
microsecond times and timestamps, and lists; the rest follows the same grammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa

_PLAIN: Final = {
    pa.null(): "Null",
    pa.bool_(): "Boolean",
    pa.int8(): "Int8",
    pa.int16(): "Int16",
    pa.int32(): "Int32",
    pa.int64(): "Int64",
    pa.uint8(): "UInt8",
    pa.uint16(): "UInt16",
    pa.uint32(): "UInt32",
    pa.uint64(): "UInt64",
    pa.float16(): "Float16",
    pa.float32(): "Float32",
    pa.float64(): "Float64",
    pa.date32(): "Date32",
    pa.date64(): "Date64",
    pa.string(): "Utf8",
    pa.large_string(): "LargeUtf8",
    pa.string_view(): "Utf8View",
    pa.binary(): "Binary",
    pa.large_binary(): "LargeBinary",
    pa.binary_view(): "BinaryView",
    pa.month_day_nano_interval(): "Interval(MonthDayNano)",
}

_UNITS: Final = {"s": "Second", "ms": "Millisecond", "us": "Microsecond", "ns": "Nanosecond"}

_LIST_ELEMENT: Final = "item"
"""The element name that goes without saying."""


def type_name(data_type: pa.DataType) -> str:
    """Return the name of a type; an extension type is named as its storage.

    :raises TypeError: for a type that has no name here (maps, unions, run-end encoding).
    """
    if isinstance(data_type, pa.BaseExtensionType):
        return type_name(data_type.storage_type)
    if data_type in _PLAIN:
        return _PLAIN[data_type]
    for matches, named in _PARAMETRIC:
        if matches(data_type):
            return named(data_type)
    msg = f"Arrow type {data_type} has no place in a schema fingerprint; select it as text instead"
    raise TypeError(msg)


def _timestamp(data_type: Any) -> str:
    zone = "None" if data_type.tz is None else f"Some({json.dumps(data_type.tz)})"
    return f"Timestamp({_UNITS[data_type.unit]}, {zone})"


def _decimal(data_type: Any) -> str:
    return f"Decimal{data_type.bit_width}({data_type.precision}, {data_type.scale})"


def _struct(data_type: Any) -> str:
    fields = ", ".join(_field(data_type.field(i)) for i in range(data_type.num_fields))
    return f"Struct([{fields}])"


def _field(field: pa.Field) -> str:
    name = "" if field.name == _LIST_ELEMENT else f"name: {json.dumps(field.name)}, "
    nullable = ", nullable: true" if field.nullable else ""
    return f"Field {{ {name}data_type: {type_name(field.type)}{nullable} }}"


# Any: pyarrow's stubs do not tell which attributes each parametric type has.
_PARAMETRIC: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any], str]], ...]] = (
    (pa.types.is_timestamp, _timestamp),
    (pa.types.is_decimal, _decimal),
    (pa.types.is_time32, lambda t: f"Time32({_UNITS[t.unit]})"),
    (pa.types.is_time64, lambda t: f"Time64({_UNITS[t.unit]})"),
    (pa.types.is_duration, lambda t: f"Duration({_UNITS[t.unit]})"),
    (pa.types.is_fixed_size_binary, lambda t: f"FixedSizeBinary({t.byte_width})"),
    (pa.types.is_list, lambda t: f"List({_field(t.value_field)})"),
    (pa.types.is_large_list, lambda t: f"LargeList({_field(t.value_field)})"),
    (
        pa.types.is_fixed_size_list,
        lambda t: f"FixedSizeList({_field(t.value_field)}, {t.list_size})",
    ),
    (pa.types.is_struct, _struct),
    (
        pa.types.is_dictionary,
        lambda t: f"Dictionary({type_name(t.index_type)}, {type_name(t.value_type)})",
    ),
)
