"""From the driver's batches to the planned columns: whole columns at a time, no value becomes a Python object.

The driver hands out some values wrapped around or outside their type's range, without an error; here they are found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.errors import EnvironmentFailure, Place, RefusalError
from rivet_source_postgres.calendar import DAY_US, FIRST_DAY, FIRST_US, date_text, time_text, timestamp_text
from rivet_source_postgres.numerics import cast_decimal, fits_decimal

#: Field metadata of a column whose unrepresentable values become NULL.
NULLS: Final = {b"rivet.on_invalid": b"null"}
#: Field metadata of a column whose override has no place for some values: the type word.
OVERRIDE: Final = b"rivet.override"
#: Field metadata of an override whose values the server tests before it casts them.
TESTED: Final = b"rivet.tested"
#: Whole microseconds that 64-bit nanoseconds hold.
_NS_US: Final = (2**63 - 1) // 1000

_REMEDY: Final = "Set on_invalid_value to null or text for the column, or override its type."
_REMEDY_OVERRIDDEN: Final = "Set on_invalid_value to null for the column, or take it out of columns."


@attrs.define(kw_only=True)
class Delivery:
    """Makes the planned columns out of the driver's, and counts what became NULL.

    :param relation: for messages.
    """

    relation: str
    fields: tuple[pa.Field, ...]
    _nulled: Counter[str] = attrs.field(factory=Counter, init=False)

    def columns(self, arrays: list[pa.Array]) -> list[pa.Array]:
        """Return the columns of one batch.

        :raises RivetError: ``RIVET_SOURCE_VALUE_UNREPRESENTABLE`` or ``RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ``.
        """
        pairs = zip(self.fields, arrays, strict=True)
        return [self._convert(array, field.type, field) for field, array in pairs]

    def count_nulled(self, column: str, cells: int) -> None:
        """Count cells that the server has already made NULL."""
        self._nulled[column] += cells

    def take_nulled(self) -> tuple[tuple[str, int], ...]:
        """Return the counts since the last call."""
        counts = tuple((name, cells) for name, cells in self._nulled.items() if cells)
        self._nulled.clear()
        return counts

    def _convert(self, array: pa.Array, target: pa.DataType, field: pa.Field) -> pa.Array:
        if isinstance(array.type, pa.OpaqueType):
            array = array.storage
        if pa.types.is_decimal(target) and pa.types.is_string(array.type):
            return self._decimals(array, target, field)
        if pa.types.is_list(target) and pa.types.is_list(array.type):
            child = self._convert(array.values, target.value_type, field)
            return pa.ListArray.from_arrays(array.offsets, child, type=target, mask=array.is_null())
        if pa.types.is_binary(array.type) and (pa.types.is_string(target) or target == pa.json_()):
            array = self._texts(array, field)
        if target == pa.json_() and pa.types.is_string(array.type):
            array = pa.ExtensionArray.from_storage(target, array)
        if pa.types.is_timestamp(target) and pa.types.is_timestamp(array.type) and target.tz == array.type.tz:
            return self._timestamps(array, target, field)
        if array.type != target:
            raise self._changed(array.type, field)
        if pa.types.is_date32(target):
            return self._dates(array, field)
        if pa.types.is_time64(target):
            return self._times(array, field)
        return array

    def _decimals(self, text: pa.Array, target: pa.DataType, field: pa.Field) -> pa.Array:
        cast = cast_decimal(text, target)
        if cast is not None:
            return cast
        text = self._settle(text, fits_decimal(text, target), field, lambda at: str(text[at]))
        return pc.cast(text, target)

    def _dates(self, array: pa.Array, field: pa.Field) -> pa.Array:
        days = array.view(pa.int32())
        lowest = pc.min(days).as_py()
        if lowest is None or lowest >= FIRST_DAY:
            return array
        good = pc.greater_equal(days, FIRST_DAY)
        return self._settle(array, good, field, lambda at: date_text(days[at].as_py()))

    def _timestamps(self, array: pa.Array, target: pa.DataType, field: pa.Field) -> pa.Array:
        instants = array.view(pa.int64())
        lowest, highest = (edge.as_py() for edge in pc.min_max(instants).values())
        low, high = (FIRST_US, 2**63 - 1) if target.unit == "us" else (-_NS_US, _NS_US)
        if lowest is not None and (lowest < low or highest > high):
            good = pc.and_(pc.greater_equal(instants, low), pc.less_equal(instants, high))
            zone = "+00" if target.tz else ""
            array = self._settle(array, good, field, lambda at: timestamp_text(instants[at].as_py(), zone=zone))
        return array if array.type == target else pc.cast(array, target)

    def _times(self, array: pa.Array, field: pa.Field) -> pa.Array:
        times = array.view(pa.int64())
        highest = pc.max(times).as_py()
        if highest is None or highest < DAY_US:
            return array
        return self._settle(array, pc.less(times, DAY_US), field, lambda at: time_text(times[at].as_py()))

    def _texts(self, array: pa.Array, field: pa.Field) -> pa.Array:
        """Return bytes as text, after looking whether they are UTF-8."""
        try:
            return pc.cast(array, pa.utf8())
        except pa.ArrowInvalid:
            pass
        good = pa.concat_arrays(_utf8_cells(array))
        return pc.cast(self._settle(array, good, field, lambda at: "\\x" + array[at].as_py().hex()), pa.utf8())

    def _settle(self, array: pa.Array, good: pa.Array, field: pa.Field, render: Callable[[int], str]) -> pa.Array:
        """Return the array with NULL for what is not good, or refuse the first of it."""
        bad = pc.invert(good)
        cells = pc.sum(bad).as_py() or 0
        if cells and not _nulls(field):
            value = render(pc.index(bad, True).as_py())
            msg = f"a value does not fit {field.type}, in which the column {field.name} is delivered"
            raise RefusalError(
                msg,
                code="RIVET_SOURCE_VALUE_UNREPRESENTABLE",
                place=Place(relation=self.relation, field=field.name, value=value[:100]),
                remedy=_REMEDY_OVERRIDDEN if OVERRIDE in (field.metadata or {}) else _REMEDY,
            )
        self._nulled[field.name] += cells
        return pc.if_else(good, array, pa.scalar(None, array.type))

    def _changed(self, found: pa.DataType, field: pa.Field) -> EnvironmentFailure:
        return EnvironmentFailure(
            f"the column {field.name} was planned as {field.type}, but is delivered as {found}",
            code="RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ",
            place=Place(relation=self.relation, field=field.name),
            remedy="The relation was changed after it was planned: run the same command again.",
        )


def _nulls(field: pa.Field) -> bool:
    return (field.metadata or {}).get(b"rivet.on_invalid") == b"null"


def _utf8_cells(array: pa.Array) -> list[pa.Array]:
    """Return in pieces which cells are UTF-8, looking for the others in halves: there are few of them, or one."""
    try:
        pc.cast(array, pa.utf8())
    except pa.ArrowInvalid:
        if len(array) == 1:
            return [pa.array([False])]
        half = len(array) // 2
        return _utf8_cells(array[:half]) + _utf8_cells(array[half:])
    return [pa.repeat(pa.scalar(value=True), len(array))]
