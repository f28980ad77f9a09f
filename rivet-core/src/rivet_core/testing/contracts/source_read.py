"""A source's reads in no order: rows, schema, batches."""

from __future__ import annotations

import attrs
import pytest

from rivet_core.protocols import PressureSource, Source
from rivet_core.requests import ReadContext, SourceRange
from rivet_core.testing.contract import needs
from rivet_core.testing.contracts.reading import (
    batches_of,
    data_schema,
    in_small_batches,
    plain,
    rows_of_request,
    types_of,
)
from rivet_core.testing.contracts.source_fixtures import Fill, SourceFixtures
from rivet_core.testing.rows import difference, row_texts
from rivet_core.testing.samples import EMPTY, LEDGER, TWINS


class SourceReading(SourceFixtures, sealed=True):
    """The part of the contract about reads in no order."""

    def test_a_read_delivers_each_row_once(self, source: Source, fill: Fill) -> None:
        """A plain read delivers every row once, NULLs as NULLs and extremes as they are."""
        filled = fill(LEDGER)
        assert difference(rows_of_request(source, plain(source, filled.relation)), row_texts(filled.rows)) == ""

    def test_equal_rows_all_arrive(self, source: Source, fill: Fill) -> None:
        """Rows that are equal in every column arrive as often as they are there."""
        filled = fill(TWINS)
        assert difference(rows_of_request(source, plain(source, filled.relation)), row_texts(filled.rows)) == ""

    def test_a_read_of_no_rows_delivers_none(self, source: Source, fill: Fill) -> None:
        """A relation without rows is read without an error, and any batch of it has the request's columns and types."""
        filled = fill(EMPTY)
        request = plain(source, filled.relation)
        batches = batches_of(source, request)
        assert sum(batch.data.num_rows for batch in batches) == 0
        assert [
            batch.data.schema for batch in batches if types_of(batch.data.schema) != types_of(data_schema(request))
        ] == []

    def test_every_batch_has_the_requests_schema(self, source: Source, fill: Fill) -> None:
        """Each batch has the request's columns, in order, in the described types."""
        filled = fill(LEDGER)
        request = plain(source, filled.relation)
        batches = batches_of(source, in_small_batches(request))
        assert batches
        assert [
            batch.data.schema for batch in batches if types_of(batch.data.schema) != types_of(data_schema(request))
        ] == []

    def test_columns_can_be_chosen(self, source: Source, fill: Fill) -> None:
        """A request for some columns, in another order, delivers those in that order."""
        filled = fill(LEDGER)
        whole = plain(source, filled.relation)
        chosen = ("gap", "text", "id")
        columns = tuple(column for name in chosen for column in whole.columns if column.name == name)
        request = attrs.evolve(whole, columns=columns)
        assert difference(rows_of_request(source, request), row_texts(filled.rows, chosen)) == ""

    def test_batches_keep_near_the_budget(self, source: Source, fill: Fill) -> None:
        """No batch has many more rows than the budget asks for."""
        filled = fill(LEDGER)
        sizes = [batch.data.num_rows for batch in batches_of(source, in_small_batches(plain(source, filled.relation)))]
        assert max(sizes) <= 10, sizes

    def test_a_delivered_batch_stays_as_it_is(self, source: Source, fill: Fill) -> None:
        """What was yielded is the consumer's: no later batch, and no end of the read, changes it."""
        filled = fill(LEDGER)
        request = in_small_batches(plain(source, filled.relation))
        kept, then = [], []
        with source.read(request, ReadContext()) as batches:
            for batch in batches:
                kept.append(batch.data)
                then.append(row_texts(batch.data))
        assert [row_texts(data) for data in kept] == then

    @needs("rereading")
    def test_count_agrees_with_the_read(self, source: Source, fill: Fill) -> None:
        """``count`` is the number of rows that the same request delivers."""
        for sample in (LEDGER, EMPTY, TWINS):
            request = plain(source, fill(sample).relation)
            assert source.count(request, ReadContext()) == sample.rows.num_rows

    @needs("pressure")
    def test_a_question_for_pressure_leaves_an_open_read_as_it_is(self, source: Source, fill: Fill) -> None:
        """``pressure`` is answered between any two batches, does not go back by itself, and the read goes on."""
        assert isinstance(source, PressureSource)
        filled = fill(LEDGER)
        request = in_small_batches(plain(source, filled.relation))
        rows, counts = [], []
        with source.read(request, ReadContext()) as batches:
            for batch in batches:
                rows += row_texts(batch.data)
                counts.append(source.pressure())
        assert difference(rows, row_texts(filled.rows)) == ""
        known = [count for count in counts if count is not None]
        assert known == sorted(known)

    def test_an_unknown_range_is_refused(self, source: Source, fill: Fill) -> None:
        """A ``SourceRange`` of a kind that the source does not know raises instead of reading everything."""
        request = attrs.evolve(plain(source, fill(LEDGER).relation), terms=(SourceRange("no-such-kind", "{}"),))
        with pytest.raises(Exception):  # noqa: B017, PT011 - which one is the source's to choose
            batches_of(source, request)
