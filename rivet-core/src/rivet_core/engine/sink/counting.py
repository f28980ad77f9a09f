"""What is counted of the rows of a part, a column at a time."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest.checksums import column_checksums
from rivet_core.manifest.counters import Counts, PartCounters
from rivet_core.manifest.distinct import MOST, distinct_values


def counted(
    data: pa.RecordBatch, key: str | None, *, unique: tuple[str, ...] = (), most: int | None = None
) -> PartCounters:
    """Return the counters of some rows, without what only batches know: input bytes, nulled cells, their sizes.

    :param data: the source's columns; meta columns are not counted.
    :param key: the column that checksums are keyed by.
    :param unique: columns whose values are told apart; one that the data lacks is left out.
    :param most: how many values of such a column are kept.
    """
    names = data.schema.names
    return PartCounters(
        rows=data.num_rows,
        checksums=tuple(sorted(column_checksums(data, key).items())),
        nulls=tuple(sorted((name, column.null_count) for name, column in zip(names, data.columns, strict=True))),
        widths=_widths(data),
        distinct=tuple(
            (name, distinct_values(data.column(name), most or MOST)) for name in sorted(unique) if name in names
        ),
    )


def _widths(data: pa.RecordBatch) -> Counts:
    found = []
    for name, column in zip(data.schema.names, data.columns, strict=True):
        plain = column.storage if isinstance(column, pa.ExtensionArray) else column
        if _is_wide(plain.type):
            # Arrow has no lengths of views.
            laid_out = plain.cast(pa.large_binary()) if _is_view(plain.type) else plain
            found.append((name, pc.max(pc.binary_length(laid_out)).as_py() or 0))
    return tuple(sorted(found))


def _is_wide(kind: pa.DataType) -> bool:
    kinds = pa.types
    text = kinds.is_string(kind) or kinds.is_large_string(kind)
    return bool(text or kinds.is_binary(kind) or kinds.is_large_binary(kind) or _is_view(kind))


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))
