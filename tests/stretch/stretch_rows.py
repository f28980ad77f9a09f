"""What the in-memory sources share: turning a list of Python rows into the planned columns."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rivet_core.errors import EnvironmentFailure
from rivet_core.schema import TableSchema
from rivet_core.types import Column, Fidelity, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rivet_core.protocols import Batch
    from rivet_core.requests import Keys, ReadContext, ReadRequest
    from rivet_core.schema import Bounds, Key
    from rivet_core.types import ColumnRules, Position, Relation


def schema_of(**types: pa.DataType) -> TableSchema:
    """Return a schema of columns that arrive as they are."""
    return TableSchema(
        columns=tuple(
            Column(
                name=name,
                native_type=str(kind),
                field=pa.field(name, kind),
                expression=name,
                fidelity=Fidelity.EXACT,
            )
            for name, kind in types.items()
        )
    )


def batch_of(schema: TableSchema, rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    """Return rows as one batch of the schema, also when there are none."""
    return pa.RecordBatch.from_pylist(list(rows), schema=schema.arrow)


class InMemory:
    """The parts of the source protocol that these sources do not need; each overrides what it has."""

    def check(self) -> None:
        """Nothing to connect to."""

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        """No index."""
        del relation
        return ()

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        """No order."""
        del relation, column
        return None

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        """No order, no borders."""
        del request, keys, n
        return ()

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        """Count by reading."""
        with self.read(request, context) as batches:
            return sum(batch.data.num_rows for batch in batches)

    def now(self) -> datetime:
        """The machine's clock."""
        return datetime.now(UTC)

    def cancel(self) -> None:
        """Reads never block."""

    def verdict(self, error: BaseException) -> Verdict:
        """Broken connections, as :func:`broken` makes them, can be opened again."""
        return Verdict.RECONNECT if isinstance(error, ConnectionError) else Verdict.FATAL

    def close(self) -> None:
        """Nothing is open."""

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Overridden."""
        raise NotImplementedError

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        raise NotImplementedError

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        """Read through the overridden generator."""
        batches = self._batches(request, context)
        try:
            yield batches
        finally:
            batches.close()  # type: ignore[attr-defined] # a generator


def missing(relation: Relation) -> EnvironmentFailure:
    """Return the error for a relation that a source does not have."""
    msg = f"there is no relation {relation}"
    return EnvironmentFailure(msg, code="RIVET_SOURCE_TABLE_NOT_FOUND")
