"""The source: a folder whose text files are tables of one column, ``line``."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.errors import EnvironmentFailure, InternalError, Place, UsageError
from rivet_core.protocols import Batch
from rivet_core.requests import After
from rivet_core.schema import TableSchema
from rivet_core.types import Column, Position, SourceIdentity, Table, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from rivet_core.requests import Budget, Keys, ReadContext, ReadRequest
    from rivet_core.schema import Bounds, Key
    from rivet_core.types import ColumnRules, Relation

LINE = Column(name="line", native_type="text", field=pa.field("line", pa.string()), expression="line")


class LinesSource:
    """Reads a file from any byte on; the offset behind a batch is its mark, so that a resume reads nothing twice."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def identity(self) -> SourceIdentity:
        return SourceIdentity(engine="lines", server="file", database=str(self._folder.resolve()))

    def check(self) -> None:
        if not self._folder.is_dir():
            msg = f"there is no folder {self._folder}"
            raise EnvironmentFailure(msg, code="RIVET_SOURCE_CONNECT_FAILED", remedy="correct source.folder")

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        self._file(relation)
        if rules.types:
            msg = f"lines are text, and there is another type for {', '.join(name for name, _ in rules.types)}"
            raise UsageError(msg, code="RIVET_TYPE_UNSAFE_MAPPING", remedy="remove the column from columns:")
        return TableSchema(columns=(LINE,))

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        offset = 0
        for term in request.terms:
            if not isinstance(term, After):
                msg = f"text files know no {type(term).__name__}"
                raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
            offset = int(str(term.position.value))
        with self._file(request.relation).open("rb") as file:
            file.seek(offset)
            yield _batches(file, request.budget)

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        with self.read(request, context) as batches:
            return sum(batch.data.num_rows for batch in batches)

    def now(self) -> datetime:
        return datetime.now(UTC)

    def keys(self, relation: Relation) -> tuple[Key, ...]:
        return ()

    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        return None

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        return ()

    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.RETRY if isinstance(error, OSError) else Verdict.FATAL

    def cancel(self) -> None:
        """No read of a file blocks for long."""

    def close(self) -> None:
        """Nothing is open between two reads."""

    def _file(self, relation: Relation | None) -> Path:
        path = self._folder / str(relation)
        if not isinstance(relation, Table) or path.parent != self._folder or not path.is_file():
            msg = f"there is no text file {relation} in {self._folder}"
            raise EnvironmentFailure(
                msg, code="RIVET_SOURCE_TABLE_NOT_FOUND", place=Place(relation=str(relation)), remedy="correct table"
            )
        return path


def _batches(file: BinaryIO, budget: Budget) -> Iterator[Batch]:
    # A block of whole lines becomes a column at once, never line by line.
    while block := file.read(budget.bytes):
        block += file.readline()
        text = pa.array([block.removesuffix(b"\n")], pa.large_binary()).view(pa.large_string())
        lines = pc.split_pattern(text, "\n").flatten().cast(pa.string())
        data = pa.RecordBatch.from_arrays([lines], schema=pa.schema([LINE.field]))
        *first, last = [data.slice(start, budget.rows) for start in range(0, data.num_rows, budget.rows)]
        yield from (Batch(data=piece) for piece in first)
        yield Batch(data=last, mark=Position("offset", str(file.tell())))
