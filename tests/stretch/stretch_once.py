"""A source that can be read once only, like a pipe; a restart of the world fills it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
from stretch_rows import InMemory, batch_of, schema_of

from rivet_core.capabilities import Restart, SourceCapabilities
from rivet_core.hookspecs import SourceType, hookimpl
from rivet_core.protocols import Batch
from rivet_core.types import SourceIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.requests import ReadContext, ReadRequest
    from rivet_core.schema import TableSchema
    from rivet_core.types import ColumnRules, Relation

SCHEMA = schema_of(id=pa.int64(), name=pa.string())
_BATCH = 10
#: Pipes of this process that were read, by name.
_read: set[str] = set()


@attrs.frozen(kw_only=True)
class OnceOptions:
    """Which pipe.

    :param name: a pipe that was read, even in part, gives nothing more.
    :param fail_after: break after so many rows.
    """

    name: str
    rows: int = 45
    fail_after: int | None = None


class OnceSource(InMemory):
    """Yields its rows to the first read and refuses every later one."""

    def __init__(self, options: OnceOptions) -> None:
        self._options = options

    def identity(self) -> SourceIdentity:
        """Return a fixed identity."""
        return SourceIdentity(engine="stretch_once", server="memory", database="pipe")

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Return the columns."""
        del relation, rules
        return SCHEMA

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        del request, context
        if self._options.name in _read:
            msg = "the pipe was read already"
            raise RuntimeError(msg)
        _read.add(self._options.name)
        for start in range(0, self._options.rows, _BATCH):
            if self._options.fail_after is not None and start >= self._options.fail_after:
                msg = "the pipe broke"
                raise ConnectionError(msg)
            numbers = range(start, min(start + _BATCH, self._options.rows))
            yield Batch(data=batch_of(SCHEMA, [{"id": n, "name": f"row {n}"} for n in numbers]))


SOURCE = SourceType(
    kind="stretch_once",
    options=OnceOptions,
    capabilities=SourceCapabilities(restart=Restart.NEVER, ordered=False, queries=False),
    factory=OnceSource,
)


@hookimpl
def rivet_sources() -> list[SourceType]:
    """Declare the source."""
    return [SOURCE]
