"""How large a cell and a batch may be: looked at where batches arrive, whatever source they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.planning import Plan
    from rivet_core.protocols import Batch

_MIB = 1024 * 1024


def within_limits(batch: Batch, plan: Plan) -> Iterator[Batch]:
    """Yield the batch, in pieces where the tuning wants that.

    :raises UsageError: ``RIVET_SOURCE_VALUE_TOO_LARGE`` naming the column, or ``RIVET_SOURCE_BATCH_TOO_LARGE``.
    """
    tuning = plan.intent.tuning
    dataset = plan.dataset(batch.dataset)
    relation = None if dataset is None else str(dataset.relation)
    if tuning.max_value_bytes:
        _check_values(batch.data, tuning.max_value_bytes, relation)
    most = tuning.max_batch_bytes
    if most is None or batch.data.nbytes <= most or tuning.on_batch_exceeded == "warn":
        yield batch
    elif tuning.on_batch_exceeded == "auto_shrink":
        yield from _pieces(batch, most)
    else:
        msg = f"a batch of {batch.data.nbytes / _MIB:.1f} MiB is larger than {most // _MIB} MiB"
        raise UsageError(
            msg,
            code="RIVET_SOURCE_BATCH_TOO_LARGE",
            place=Place(relation=relation),
            remedy="lower tuning.batch_size, raise max_batch_memory_mb, or set on_batch_memory_exceeded: auto_shrink",
        )


def _pieces(batch: Batch, most: int) -> Iterator[Batch]:
    """Yield halves of halves until each is small enough or one row; only the last piece ends where the batch does."""
    rows = batch.data.num_rows
    if rows <= 1 or batch.data.nbytes <= most:
        yield batch
        return
    half = rows // 2
    # The nulled cells go with the first piece: only their sum has a meaning.
    yield from _pieces(attrs.evolve(batch, data=batch.data.slice(0, half), mark=None), most)
    yield from _pieces(attrs.evolve(batch, data=batch.data.slice(half), nulled=()), most)


def _check_values(data: pa.RecordBatch, most: int, relation: str | None) -> None:
    for name, column in zip(data.schema.names, data.columns, strict=True):
        # The column is rarely so large as a whole, and then no cell of it is.
        if column.nbytes <= most or (cells := _bytes_of(column)) is None:
            continue
        longest = pc.max(pc.binary_length(cells)).as_py() or 0
        if longest > most:
            msg = f"a cell of {longest} bytes is larger than {most}"
            raise UsageError(
                msg,
                code="RIVET_SOURCE_VALUE_TOO_LARGE",
                place=Place(relation=relation, field=name),
                remedy="Raise tuning.max_value_mb, set it to 0 for any size, or leave the column out.",
            )


def _bytes_of(column: pa.Array) -> pa.Array | None:
    """Return a column's text or bytes, those in lists too, or None for other types."""
    plain = column.storage if isinstance(column, pa.ExtensionArray) else column
    if pa.types.is_list(plain.type) or pa.types.is_large_list(plain.type) or pa.types.is_fixed_size_list(plain.type):
        return _bytes_of(plain.flatten())
    if pa.types.is_dictionary(plain.type):
        plain = plain.dictionary
    kind, types = plain.type, pa.types
    if types.is_string_view(kind) or types.is_binary_view(kind):
        # Arrow has no lengths of views.
        return plain.cast(pa.large_binary())
    text = types.is_string(kind) or types.is_large_string(kind)
    return plain if text or types.is_binary(kind) or types.is_large_binary(kind) else None
