"""One dataset's way to the disk: rows are checked, gathered to row groups, counted, and written to the open part."""

from __future__ import annotations

import pyarrow as pa

from rivet_core.engine.sink.beside import beside
from rivet_core.engine.sink.counting import counted
from rivet_core.engine.sink.meta import with_meta
from rivet_core.engine.sink.one_nan import with_one_nan
from rivet_core.engine.sink.part_file import PartFile
from rivet_core.engine.sink.row_group import RowGroup
from rivet_core.engine.sink.schema_check import accepted
from rivet_core.engine.sink.task import Recipe
from rivet_core.ledger.finished import FinishedPart
from rivet_core.manifest.counters import PartCounters
from rivet_core.planning.plan import DatasetPlan
from rivet_core.protocols import Batch, Format


class DatasetSink:
    """Writes one dataset's parts, one after the other.

    :param stem: readable beginning of the local files' names.
    """

    def __init__(self, dataset: DatasetPlan, recipe: Recipe, format: Format, stem: str) -> None:  # noqa: A002
        self._dataset = dataset
        self._recipe = recipe
        self._format = format
        self._stem = stem
        self._expected = dataset.source_schema
        self._group = RowGroup(recipe.plan.intent.row_group_bytes)
        self._file: PartFile | None = None
        self._counters = PartCounters()
        #: Rows and input bytes of the open part.
        self.rows = 0
        self.bytes = 0

    @property
    def buffered(self) -> int:
        """Bytes that wait for their row group."""
        return self._group.bytes

    def add(self, batch: Batch) -> tuple[int, int]:
        """Take a batch's rows and return how many rows and input bytes they are."""
        data = accepted(batch.data, self._dataset, self._expected)
        rows, size = data.num_rows, data.nbytes
        if batch.nulled:
            self._count(PartCounters(nulled=tuple(sorted(batch.nulled))))
        if not rows:
            return 0, 0
        self.rows += rows
        self.bytes += size
        self._count(PartCounters(input_bytes=size, largest_batch=size))
        for piece in self._group.cut(data):
            if not self._group.fits(piece.nbytes):
                self.flush()
            self._group.add(piece)
            if self._group.full:
                self.flush()
        return rows, size

    def flush(self) -> None:
        """Write what is gathered as a row group, however small."""
        if not self._group.rows:
            return
        pieces = [with_one_nan(piece) for piece in self._group.take()]
        file = self._file = self._file or self._new_file()
        rows = [with_meta(piece, self._dataset, self._recipe.exported_at) for piece in pieces]
        self._count(beside(lambda: self._counted(pieces), lambda: file.write(rows)))

    def finish(self) -> FinishedPart:
        """Close the open part; only to be called when it has rows."""
        self.flush()
        return self._finish(self._file or self._new_file())

    def finish_empty(self) -> FinishedPart:
        """Make a part without rows, where there is no open one."""
        # Not from an empty list of rows, which Arrow cannot make of lists of extension types.
        nothing = [pa.nulls(0, field.type) for field in self._expected]
        self._count(self._counted([pa.RecordBatch.from_arrays(nothing, schema=self._expected)]))
        return self._finish(self._new_file())

    def abort(self) -> None:
        """Give the open part up and remove its file; safe to call again."""
        file, self._file = self._file, None
        if file is not None:
            file.abort()

    def _finish(self, file: PartFile) -> FinishedPart:
        self._file = None
        content = file.finish()
        counters, self._counters = self._counters, PartCounters()
        self.rows = self.bytes = 0
        return FinishedPart(
            dataset=self._dataset.name,
            path=file.path,
            size=content.size_bytes,
            fingerprint=content.xxh3,
            md5=content.md5,
            counters=counters,
        )

    def _counted(self, pieces: list[pa.RecordBatch]) -> PartCounters:
        intent, key = self._recipe.plan.intent, self._dataset.checksum_key
        counters = PartCounters()
        for data in pieces:
            counters = counters.merge(counted(data, key, unique=intent.unique_columns, most=intent.unique_max_entries))
        return counters

    def _count(self, counters: PartCounters) -> None:
        self._counters = self._counters.merge(counters)

    def _new_file(self) -> PartFile:
        return PartFile(folder=self._recipe.staging, stem=self._stem, format=self._format, schema=self._dataset.schema)
