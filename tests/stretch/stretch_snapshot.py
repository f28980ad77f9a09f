"""Pages read by physical address: valid in one shared snapshot, which can die."""

from __future__ import annotations

import itertools
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
from stretch_rows import InMemory, batch_of, schema_of

from rivet_core.capabilities import Restart, RunnerCapabilities, SnapshotSupport, SourceCapabilities
from rivet_core.errors import SnapshotGone
from rivet_core.hookspecs import RunnerType, SourceType, hookimpl
from rivet_core.protocols import Batch
from rivet_core.requests import SourceRange, Unit
from rivet_core.types import Snapshot, SourceIdentity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rivet_core.protocols import Reader
    from rivet_core.requests import ReadContext, ReadRequest
    from rivet_core.schema import TableSchema
    from rivet_core.types import ColumnRules, Relation

SCHEMA = schema_of(id=pa.int64(), address=pa.int64())
PAGE_KIND = "stretch_pages"
_tokens = itertools.count(1)
#: The snapshots of this process that are alive.
_alive: set[str] = set()
#: How many snapshots of which table were begun.
begun: dict[str, int] = {}


@attrs.frozen(kw_only=True)
class SnapshotOptions:
    """Which table.

    :param name: the table.
    :param dies: so many snapshots of it die in the middle.
    """

    name: str
    rows: int = 40
    dies: int = 0


class PagedSource(InMemory):
    """Rows lie at addresses that change with every snapshot, as a vacuum would change them."""

    def __init__(self, options: SnapshotOptions) -> None:
        self._options = options

    def identity(self) -> SourceIdentity:
        """Return a fixed identity."""
        return SourceIdentity(engine="stretch_snapshot", server="memory", database=self._options.name)

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Return the columns."""
        del relation, rules
        return SCHEMA

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Hold a snapshot."""
        token = f"{next(_tokens)}"
        _alive.add(token)
        begun[self._options.name] = begun.get(self._options.name, 0) + 1
        try:
            yield Snapshot(token=token)
        finally:
            _alive.discard(token)

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        pages = next(term for term in request.terms if isinstance(term, SourceRange))
        first, last = json.loads(pages.data)
        if first >= self._options.rows // 2 and begun.get(self._options.name, 0) <= self._options.dies:
            _alive.discard(context.snapshot.token if context.snapshot else "")
        if context.snapshot is None or context.snapshot.token not in _alive:
            msg = "the snapshot is gone"
            raise SnapshotGone(msg, code="RIVET_SOURCE_SNAPSHOT_GONE")
        shift = int(context.snapshot.token)
        rows = [{"id": (address + shift) % self._options.rows, "address": address} for address in range(first, last)]
        yield Batch(data=batch_of(SCHEMA, rows))


@attrs.frozen(kw_only=True)
class PageMode:
    """The runner's options."""

    pages: int = 4


class PageRunner:
    """Cuts the address space."""

    def __init__(self, options: PageMode) -> None:
        self._options = options

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return one unit a range of addresses."""
        rows, pages = 40, self._options.pages
        for n in range(pages):
            term = SourceRange(PAGE_KIND, json.dumps([rows * n // pages, rows * (n + 1) // pages]))
            yield Unit(id=f"pages{n}", ordinal=n, request=attrs.evolve(reader.request, terms=(term,)))


SOURCE = SourceType(
    kind="stretch_snapshot",
    options=SnapshotOptions,
    capabilities=SourceCapabilities(
        restart=Restart.UNIT, ordered=False, queries=False, snapshot=SnapshotSupport.PROCESS, ranges=(PAGE_KIND,)
    ),
    factory=PagedSource,
)
RUNNER = RunnerType(
    kind="stretch_pages",
    mode="stretch_pages",
    options=PageMode,
    capabilities=RunnerCapabilities(snapshot=True),
    factory=PageRunner,
)


@hookimpl
def rivet_sources() -> list[SourceType]:
    """Declare the source."""
    return [SOURCE]


@hookimpl
def rivet_runners() -> list[RunnerType]:
    """Declare the runner."""
    return [RUNNER]
