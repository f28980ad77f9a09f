"""A source whose keys are of mixed types that only it can order, and which knows no LIMIT."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import pyarrow as pa
import pytest

from rivet_core.protocols import Batch
from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    ColumnKey,
    IsNull,
    KeyExpression,
    Keys,
    ReadContext,
    ReadRequest,
    Term,
    Until,
)
from rivet_core.schema import TableSchema
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
from rivet_core.testing.reference_terms import position_of
from rivet_core.types import ColumnRules, Position, Relation

ORDER = "~order"


def document_key(value: object) -> object:
    """What the store keeps as the key: text and numbers, mixed."""
    return str(value) if isinstance(value, int) and value % 2 else value


def with_order(sample: Sample) -> pa.Table:
    """The stored rows: keys as JSON text, and beside each the bytes that the store sorts by, numbers before text."""
    first = sample.key[0]
    keys = [document_key(value) for value in sample.rows.column(first).to_pylist()]
    order = [
        b"n" + (value + 2**63).to_bytes(8, "big") if isinstance(value, int) else b"t" + str(value).encode()
        for value in keys
    ]
    rendered = sample.rows.set_column(
        sample.rows.column_names.index(first), first, pa.array([json.dumps(key) for key in keys], pa.string())
    )
    return rendered.append_column(ORDER, pa.array(order, pa.binary()))


class OpaqueSource(ReferenceSource):
    engine = "opaque"

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        found = super().describe(relation, rules)
        return attrs.evolve(found, columns=tuple(column for column in found.columns if column.name != ORDER))

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        with super().read(self._ordered(attrs.evolve(request, limit=None)), context) as batches:
            yield self._first(batches, request)

    def _first(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        """No LIMIT: the reader stops, and the mark of a cut batch is made anew."""
        left = request.limit
        for batch in batches:
            if left is None or batch.data.num_rows <= left:
                yield batch
                left = None if left is None else left - batch.data.num_rows
                if left == 0:
                    return
                continue
            piece = batch.data.slice(0, left)
            hidden = tuple(ColumnKey(name) for name in piece.schema.names[len(request.columns) :])
            yield attrs.evolve(batch, data=piece, mark=position_of(pa.Table.from_batches([piece]), left - 1, hidden))
            return

    def count(self, request: ReadRequest, context: ReadContext) -> int:
        return super().count(self._ordered(request), context)

    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        return super().split(self._ordered(request), self._keys(request.relation, keys), n)

    def _ordered(self, request: ReadRequest) -> ReadRequest:
        def keys(given: Keys) -> Keys:
            return self._keys(request.relation, given)

        def term(given: Term) -> Term:
            match given:
                case After() | AtOrAfter() | Until():
                    return attrs.evolve(given, keys=keys(given.keys))
                case Between() | IsNull():
                    return attrs.evolve(given, key=keys((given.key,))[0])
                case _:
                    return given

        return attrs.evolve(
            request,
            order=keys(request.order),
            hidden=keys(request.hidden),
            terms=tuple(term(given) for given in request.terms),
        )

    def _keys(self, relation: Relation | None, keys: Keys) -> Keys:
        first = self._stored(relation).key[:1]

        def key(given: KeyExpression) -> KeyExpression:
            return ColumnKey(ORDER) if isinstance(given, ColumnKey) and given.name in first else given

        return tuple(key(given) for given in keys)


class TestOpaque(SourceContract):
    declaration = attrs.evolve(reference_type("opaque", queries=False), factory=OpaqueSource)

    @pytest.fixture
    def database(self) -> ReferenceDatabase:
        return ReferenceDatabase()

    @pytest.fixture
    def options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database)

    @pytest.fixture
    def fill(self, database: ReferenceDatabase) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            rows = with_order(sample) if sample.key else sample.rows
            relation = database.create(sample.name, rows, key=sample.key)
            kept = [name for name in rows.column_names if name != ORDER]
            return Filled(relation=relation, rows=rows.select(kept), key=sample.key)

        return fill

    @pytest.fixture
    def typed(self, database: ReferenceDatabase) -> Typed:
        rows = pa.table({"document": ['{"a": 1}', None]})
        return Typed(relation=database.create("typed", rows), expected=rows)
