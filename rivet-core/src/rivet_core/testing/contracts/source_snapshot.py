"""A source's shared snapshots."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from rivet_core.errors import SnapshotGone
from rivet_core.protocols import SnapshotSource, Source
from rivet_core.requests import ReadContext
from rivet_core.testing.contract import needs
from rivet_core.testing.contracts.reading import plain, rows_of_request
from rivet_core.testing.contracts.source_fixtures import Fill, OpenSource, SourceFixtures
from rivet_core.testing.rows import difference, row_texts
from rivet_core.testing.samples import TWINS
from rivet_core.types import Relation


class SourceSnapshots(SourceFixtures, sealed=True):
    """The part of the contract for sources that declare shared snapshots."""

    @needs("snapshot")
    def test_readers_of_one_snapshot_see_one_state(
        self, source: Source, open_source: OpenSource, fill: Fill, insert: Callable[[Relation, pa.Table], None]
    ) -> None:
        """Every source that reads in a snapshot sees the rows of its moment, also after somebody else has written."""
        filled = fill(TWINS)
        assert isinstance(source, SnapshotSource)
        with source.snapshot() as snapshot:
            insert(filled.relation, TWINS.rows)
            for _ in range(2):
                reader = open_source()
                request = plain(reader, filled.relation)
                then = rows_of_request(reader, request, ReadContext(snapshot=snapshot))
                assert difference(then, row_texts(filled.rows)) == ""
        reader = open_source()
        assert len(rows_of_request(reader, plain(reader, filled.relation))) == 2 * filled.rows.num_rows

    @needs("snapshot")
    def test_a_snapshot_ends_with_its_block(self, source: Source, open_source: OpenSource, fill: Fill) -> None:
        """A read in a snapshot that is gone raises ``SnapshotGone`` instead of reading another state."""
        filled = fill(TWINS)
        assert isinstance(source, SnapshotSource)
        with source.snapshot() as snapshot:
            pass
        reader = open_source()
        with pytest.raises(SnapshotGone):
            rows_of_request(reader, plain(reader, filled.relation), ReadContext(snapshot=snapshot))
