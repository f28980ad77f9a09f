"""A document store: ids of mixed types that only it can order, no LIMIT, a mark behind every batch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
from stretch_rows import InMemory, batch_of, schema_of

from rivet_core.capabilities import Restart, RunnerCapabilities, SourceCapabilities
from rivet_core.errors import InternalError
from rivet_core.hookspecs import RunnerType, SourceType, hookimpl
from rivet_core.protocols import Batch
from rivet_core.requests import After, ColumnKey, Unit
from rivet_core.types import Position, SourceIdentity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rivet_core.protocols import Reader
    from rivet_core.requests import ReadContext, ReadRequest
    from rivet_core.schema import TableSchema
    from rivet_core.types import ColumnRules, Relation

SCHEMA = schema_of(_id=pa.string(), document=pa.string())
_BATCH = 7


@attrs.frozen(kw_only=True)
class OpaqueOptions:
    """Which collection.

    :param documents: how many there are.
    :param moved: ids of documents that have another id now, as if updated between two runs.
    :param fail_after: break the connection once after so many documents of the first attempt.
    """

    documents: int = 60
    moved: tuple[int, ...] = ()
    fail_after: int | None = None


def ids(options: OpaqueOptions) -> list[int | str | bytes]:
    """Return the ids in the store's order: numbers before text before bytes."""
    numbers: list[int | str | bytes] = []
    texts: list[int | str | bytes] = []
    raw: list[int | str | bytes] = []
    for n in range(options.documents):
        value = n + 1_000_000 if n in options.moved else n
        (numbers, texts, raw)[n % 3].append(
            value if n % 3 == 0 else f"k{value:08d}" if n % 3 == 1 else value.to_bytes(4, "big")
        )
    return [*sorted(numbers), *sorted(texts), *sorted(raw)]  # type: ignore[type-var] # each list is of one type


def tagged(value: int | str | bytes) -> Position:
    """Return an id as a position."""
    if isinstance(value, bytes):
        return Position("bytes", value.hex())
    return Position("text", value) if isinstance(value, str) else Position("number", str(value))


class OpaqueSource(InMemory):
    """Reads all documents in the order of their ids, from anywhere, without a limit."""

    def __init__(self, options: OpaqueOptions) -> None:
        self._options = options

    def identity(self) -> SourceIdentity:
        """Return a fixed identity."""
        return SourceIdentity(engine="stretch_opaque", server="memory", database="documents")

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Return the two columns that every collection has."""
        del relation, rules
        return SCHEMA

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        if request.limit is not None:
            msg = "this source knows no LIMIT"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        everything = ids(self._options)
        after = [term.position for term in request.terms if isinstance(term, After)]
        if after:
            rank = {"number": 0, "text": 1, "bytes": 2}
            edge = (rank[after[0].type], _raw(after[0]))
            everything = [value for value in everything if (rank[tagged(value).type], value) > edge]
        for start in range(0, len(everything), _BATCH):
            if context.attempt == 1 and self._options.fail_after is not None and start >= self._options.fail_after:
                msg = "the cursor died"
                raise ConnectionError(msg)
            chunk = everything[start : start + _BATCH]
            rows = [
                {"_id": f"{tagged(value).type}:{tagged(value).value}", "document": json.dumps({"n": str(value)})}
                for value in chunk
            ]
            yield Batch(data=batch_of(SCHEMA, rows), mark=tagged(chunk[-1]))


def _raw(position: Position) -> int | str | bytes:
    value = str(position.value)
    return int(value) if position.type == "number" else bytes.fromhex(value) if position.type == "bytes" else value


@attrs.frozen(kw_only=True)
class OpaqueMode:
    """The runner has no options."""


class OpaqueRunner:
    """One ordered unit; the source's marks make it resumable."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return the one unit."""
        yield Unit(id="all", ordinal=0, request=attrs.evolve(reader.request, order=(ColumnKey("_id"),)))


def _runner(options: OpaqueMode) -> OpaqueRunner:
    del options
    return OpaqueRunner()


SOURCE = SourceType(
    kind="stretch_opaque",
    options=OpaqueOptions,
    capabilities=SourceCapabilities(restart=Restart.MARK, ordered=False, queries=False),
    factory=OpaqueSource,
)
RUNNER = RunnerType(
    kind="stretch_opaque",
    mode="stretch_opaque",
    options=OpaqueMode,
    capabilities=RunnerCapabilities(parallel=False),
    factory=_runner,
)


@hookimpl
def rivet_sources() -> list[SourceType]:
    """Declare the source."""
    return [SOURCE]


@hookimpl
def rivet_runners() -> list[RunnerType]:
    """Declare the runner."""
    return [RUNNER]
