"""Which columns are written with a dictionary.

A dictionary of values that hardly repeat costs twice the time of encoding and makes larger files, and repeating ones
gain from it in both; the first rows tell which they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

_SAMPLE: Final = 8192


def worth_a_dictionary(rows: pa.Table) -> list[str]:
    """Return the names of the columns that repeat values; nested ones are left out."""
    sample = rows.slice(0, _SAMPLE)
    columns: Iterable[tuple[str, pa.ChunkedArray]] = zip(sample.column_names, sample.columns, strict=True)
    return [name for name, column in columns if _repeats(column)]


def _repeats(column: pa.ChunkedArray) -> bool:
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        storage = pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
        return _repeats(storage)
    if pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return False
    values = len(column) - column.null_count
    if not values:
        return False
    try:
        distinct = pc.count_distinct(column).as_py()
    except pa.ArrowNotImplementedError:  # a type that Arrow cannot compare
        return False
    return bool(2 * distinct <= values)
