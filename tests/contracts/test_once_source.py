"""A source that can be read once only, like a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import pyarrow as pa
import pytest

from rivet_core.capabilities import Restart, SnapshotSupport
from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.testing import (
    Filled,
    ReferenceDatabase,
    ReferenceOptions,
    ReferenceSource,
    Sample,
    SourceContract,
    Typed,
    reference_type,
)


class OnceSource(ReferenceSource):
    engine = "once"

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        name = str(request.relation)
        if name in self.database.snapshots:
            msg = "the pipe was read already"
            raise RuntimeError(msg)
        with super().read(request, context) as batches:
            self.database.snapshots[name] = {}
            yield batches


class TestOnce(SourceContract):
    declaration = attrs.evolve(
        reference_type(
            "once",
            restart=Restart.NEVER,
            ordered=False,
            queries=False,
            snapshot=SnapshotSupport.NONE,
            estimates=False,
            ranges=(),
        ),
        factory=OnceSource,
    )

    @pytest.fixture
    def database(self) -> ReferenceDatabase:
        return ReferenceDatabase()

    @pytest.fixture
    def options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database)

    @pytest.fixture
    def fill(self, database: ReferenceDatabase) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            return Filled(relation=database.create(sample.name, sample.rows), rows=sample.rows)

        return fill

    @pytest.fixture
    def typed(self, database: ReferenceDatabase) -> Typed:
        rows = pa.table({"line": ["one", None]})
        return Typed(relation=database.create("typed", rows), expected=rows)
