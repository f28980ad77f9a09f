"""One NaN for all: a processor makes them with either sign, which no database tells apart and text does not keep.

Left as they are, the same rows would make other bytes on another machine, and a text part would disagree with the
column checksums of the rows that it was written from. Floats in lists stay as they are: text parts hold none.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def with_one_nan(data: pa.RecordBatch) -> pa.RecordBatch:
    """Return the rows with every NaN of a float column in its one usual form; without copying where there is none."""
    changed = [(at, _with_one_nan(column)) for at, column in enumerate(data.columns) if _has_nan(column)]
    for at, column in changed:
        data = data.set_column(at, data.schema.field(at), column)
    return data


def _has_nan(column: pa.Array) -> bool:
    floating = pa.types.is_float32(column.type) or pa.types.is_float64(column.type)
    return floating and bool(pc.any(pc.is_nan(column)).as_py())


def _with_one_nan(column: pa.Array) -> pa.Array:
    return pc.if_else(pc.is_nan(column), pa.scalar(float("nan"), column.type), column)
