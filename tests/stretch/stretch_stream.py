"""A change stream that feeds two tables: transactions, marks, rolls, acknowledgements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa
from stretch_rows import InMemory, batch_of, missing, schema_of

from rivet_core.capabilities import Restart, RollPolicy, RunnerCapabilities, SourceCapabilities
from rivet_core.errors import InternalError
from rivet_core.hookspecs import DatasetSpec, RunnerType, SourceType, hookimpl
from rivet_core.protocols import Batch
from rivet_core.requests import After, ReadRequest, Unit, Until
from rivet_core.types import Position, SourceIdentity, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rivet_core.capabilities import SourceCapabilities as Capabilities
    from rivet_core.protocols import Reader
    from rivet_core.requests import Intent, ReadContext
    from rivet_core.schema import TableSchema
    from rivet_core.types import ColumnRules, Relation

SCHEMAS = {
    "orders": schema_of(op=pa.string(), tx=pa.int64(), seq=pa.int64(), id=pa.int64(), note=pa.string()),
    "lines": schema_of(op=pa.string(), tx=pa.int64(), seq=pa.int64(), order_id=pa.int64(), amount=pa.decimal128(12, 2)),
}


@attrs.frozen(kw_only=True)
class StreamOptions:
    """Which stream.

    :param transactions: how many transactions there are.
    :param acknowledged: a file with the last acknowledged position; transactions up to it are forgotten.
    :param fail_after: break the connection once after so many transactions of a read, on the first attempt.
    """

    transactions: int = 20
    acknowledged: Path
    fail_after: int | None = None


def changes_of(transaction: int) -> list[tuple[str, dict[str, Any]]]:
    """Return a transaction's changes, in order, with their table: one order and one to three lines."""
    order = {"op": "insert", "tx": transaction, "seq": 0, "id": transaction * 10, "note": f"order {transaction}"}
    lines = [
        {"op": "insert", "tx": transaction, "seq": seq, "order_id": transaction * 10, "amount": f"{transaction}.{seq}0"}
        for seq in range(1, 2 + transaction % 3)
    ]
    return [("orders", order), *(("lines", line) for line in lines)]


class StreamSource(InMemory):
    """Delivers transactions in order; what was acknowledged is gone for ever."""

    def __init__(self, options: StreamOptions) -> None:
        self._options = options

    def identity(self) -> SourceIdentity:
        """Return a fixed identity."""
        return SourceIdentity(engine="stretch_stream", server="memory", database="changes")

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        """Return the table's change columns."""
        del rules
        if not isinstance(relation, Table) or relation.name not in SCHEMAS:
            raise missing(relation)
        return SCHEMAS[relation.name]

    def head(self) -> Position:
        """Return the last transaction's number."""
        return Position("tx", str(self._options.transactions))

    def acknowledge(self, position: Position) -> None:
        """Forget transactions up to a position."""
        self._options.acknowledged.write_text(str(position.value), encoding="utf-8")

    def _acknowledged(self) -> int:
        path = self._options.acknowledged
        return int(path.read_text(encoding="utf-8")) if path.exists() else 0

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        start = max((int(str(t.position.value)) for t in request.terms if isinstance(t, After)), default=0)
        end = min(int(str(t.position.value)) for t in request.terms if isinstance(t, Until))
        if start < self._acknowledged():
            msg = f"transactions up to {self._acknowledged()} were acknowledged, and {start + 1} is asked for"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        for transaction in range(start + 1, end + 1):
            if context.attempt == 1 and transaction - start == self._options.fail_after:
                msg = "the stream broke"
                raise ConnectionError(msg)
            changes = changes_of(transaction)
            for table, schema in SCHEMAS.items():
                rows = [row for name, row in changes if name == table]
                decimals = [
                    {**row, "amount": pa.scalar(row["amount"]).cast(pa.decimal128(12, 2)).as_py()}
                    if "amount" in row
                    else row
                    for row in rows
                ]
                # The mark stands behind the last batch of the transaction: only then is all of it yielded.
                mark = Position("tx", str(transaction)) if table == "lines" else None
                yield Batch(data=batch_of(schema, decimals), dataset=table, mark=mark)


@attrs.frozen(kw_only=True)
class StreamMode:
    """The runner's options."""

    tables: tuple[str, ...] = ("orders", "lines")


class StreamRunner:
    """One unit that ends at the bound taken at open."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return the one unit: after the export's position, until the stream's head."""
        head = reader.head()
        if head is None:
            msg = "the source has no stream"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
        terms = (Until((), head),)
        if reader.position is not None:
            terms = (After((), reader.position), *terms)  # type: ignore[assignment] # a longer tuple
        yield Unit(id="stream", ordinal=0, request=attrs.evolve(reader.request, terms=terms))


def _datasets(intent: Intent) -> tuple[DatasetSpec, ...]:
    options = intent.mode.options
    return tuple(DatasetSpec(name=name, relation=Table(name)) for name in options.tables)  # type: ignore[attr-defined]


def _accepts(intent: Intent, capabilities: Capabilities) -> str | None:
    del intent
    return None if capabilities.changes else "the source captures no changes"


def _runner(options: StreamMode) -> StreamRunner:
    del options
    return StreamRunner()


SOURCE = SourceType(
    kind="stretch_stream",
    options=StreamOptions,
    capabilities=SourceCapabilities(restart=Restart.MARK, ordered=False, queries=False, changes=True),
    factory=StreamSource,
)
RUNNER = RunnerType(
    kind="stretch_stream",
    mode="stretch_stream",
    options=StreamMode,
    capabilities=RunnerCapabilities(
        positioned=True, whole_relation=False, changes=True, parallel=False, rolls=RollPolicy(rows=12)
    ),
    factory=_runner,
    accepts=_accepts,
    datasets=_datasets,
)


@hookimpl
def rivet_sources() -> list[SourceType]:
    """Declare the source."""
    return [SOURCE]


@hookimpl
def rivet_runners() -> list[RunnerType]:
    """Declare the runner."""
    return [RUNNER]
