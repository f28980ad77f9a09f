"""The worlds of the crash battery as the columns of the feature matrix, and sources that misbehave in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa
from crash_world import WORLDS, World

from rivet_core.types import Column

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rivet_core.protocols import Source
    from rivet_core.requests import ReadContext, ReadRequest
    from rivet_core.schema import TableSchema
    from rivet_core.types import ColumnRules, Relation

#: One world a runner that reads a shape of its own; the first is built in, the others stretch the contract.
COLUMNS = ("full", "seek", "ranges", "tail", "stream", "opaque", "snapshot")
#: Those that read the one table.
TABLES = ("full", "seek", "ranges", "tail")


def fresh(name: str, folder: Path) -> World:
    """Return a world with its data in an empty folder."""
    world = WORLDS[name]
    folder.mkdir(parents=True, exist_ok=True)
    world.build(folder)
    return world


def misbehaving(world: World, make: Callable[[Source], object]) -> World:
    """Return the world with each of its sources wrapped."""
    factory = world.source.factory
    return attrs.evolve(world, source=attrs.evolve(world.source, factory=lambda options: make(factory(options))))


class Wrapped:
    """A source that does what the real one does."""

    def __init__(self, real: Source) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    # Protocols are looked for on the class.
    def identity(self) -> Any:
        return self._real.identity()


class Widened(Wrapped):
    """Its relations have one column more from the n-th description on."""

    described = 0
    from_description = 1

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        type(self).described += 1
        schema = self._real.describe(relation, rules)
        if type(self).described < self.from_description:
            return schema
        added = Column(name="added", native_type="text", field=pa.field("added", pa.string()), expression="NULL")
        return attrs.evolve(schema, columns=(*schema.columns, added))


class DiskFailed(Exception):
    """An error of a driver that the source does not know."""


class Broken(Wrapped):
    """Its reads fail, for good, after so many that worked."""

    reads = 0
    working = 0

    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Any]:
        type(self).reads += 1
        if type(self).reads > self.working:
            msg = "this page is on a bad disk"
            raise DiskFailed(msg)
        return self._real.read(request, context)
