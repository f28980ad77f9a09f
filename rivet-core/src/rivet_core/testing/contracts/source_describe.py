"""What a source says of a relation before it is read: columns, types, keys, estimates."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rivet_core.errors import RivetError
from rivet_core.protocols import CatalogueSource, Source
from rivet_core.testing.contract import needs
from rivet_core.testing.contracts.reading import data_schema, plain, rows_of_request
from rivet_core.testing.contracts.source_fixtures import Fill, SourceFixtures
from rivet_core.testing.rows import difference, row_texts
from rivet_core.testing.samples import AWKWARD, EMPTY, LEDGER, PAIRS, TWINS, Typed
from rivet_core.types import ColumnRules, Query, Relation, Table


class SourceDescription(SourceFixtures, sealed=True):
    """The part of the contract about ``describe`` and ``keys``."""

    def test_describe_names_the_columns_in_order(self, source: Source, fill: Fill) -> None:
        """``describe`` gives every column under its exact name, in the relation's own order."""
        filled = fill(LEDGER)
        described = source.describe(filled.relation, ColumnRules())
        assert [column.name for column in described.columns] == filled.rows.column_names
        assert [column.field.name for column in described.columns] == filled.rows.column_names

    def test_every_field_allows_null(self, source: Source, fill: Fill) -> None:
        """Every Arrow field is nullable, also a key's: files outlive constraints."""
        filled = fill(LEDGER)
        described = source.describe(filled.relation, ColumnRules())
        assert [column.name for column in described.columns if not column.field.nullable] == []

    def test_no_rows_have_the_types_of_many(self, source: Source, fill: Fill) -> None:
        """A relation without rows is described with the same types as one with rows."""
        full, empty = fill(LEDGER), fill(EMPTY)
        many = source.describe(full.relation, ColumnRules())
        none = source.describe(empty.relation, ColumnRules())
        assert [column.field for column in none.columns] == [column.field for column in many.columns]

    def test_every_type_arrives_as_described(self, source: Source, typed: Typed) -> None:
        """Every type that can be delivered arrives with the exact values, in the type that ``describe`` said."""
        request = plain(source, typed.relation)
        assert [(field.name, field.type) for field in data_schema(request)] == [
            (field.name, field.type) for field in typed.expected.schema
        ]
        assert difference(rows_of_request(source, request), row_texts(typed.expected)) == ""

    def test_every_native_type_is_named(self, source: Source, typed: Typed) -> None:
        """Each column carries the source's own name of its type, and the expression that delivers it."""
        described = source.describe(typed.relation, ColumnRules())
        assert [column.name for column in described.columns if not (column.native_type and column.expression)] == []

    def test_any_name_can_be_read(self, source: Source, fill: Fill) -> None:
        """Names of tables and columns are read as they are: quotes, dots, spaces, signs, letters of any script."""
        filled = fill(AWKWARD)
        request = plain(source, filled.relation)
        assert [column.name for column in request.columns] == filled.rows.column_names
        assert difference(rows_of_request(source, request), row_texts(filled.rows)) == ""

    def test_an_override_that_cannot_be_delivered_is_refused(self, source: Source, fill: Fill) -> None:
        """A type that the source cannot deliver is refused when it is asked for, and the column is named."""
        filled = fill(LEDGER)
        with pytest.raises(RivetError) as caught:
            source.describe(filled.relation, ColumnRules(types=(("text", "no such type"),)))
        assert "text" in str(caught.value)

    @needs("estimates")
    def test_a_filled_table_has_an_estimate(self, source: Source, fill: Fill) -> None:
        """A source that declares estimates has one for a table with rows."""
        estimate = source.describe(fill(LEDGER).relation, ColumnRules()).estimated_rows
        assert estimate is not None
        assert estimate >= 0

    @needs("relations")
    def test_every_table_is_listed_with_its_key(self, source: Source, fill: Fill) -> None:
        """``relations`` lists each table once, by names that ``describe`` takes, with its primary key in order."""
        assert isinstance(source, CatalogueSource)
        for sample in (LEDGER, EMPTY, PAIRS, TWINS, AWKWARD):
            filled = fill(sample)
            assert isinstance(filled.relation, Table)
            found = [facts for facts in source.relations() if facts.table.name == filled.relation.name]
            assert [facts.primary_key for facts in found] == [filled.key]
            described = source.describe(found[0].table, ColumnRules())
            assert [column.name for column in described.columns] == filled.rows.column_names

    @needs("ordered")
    def test_the_primary_key_comes_first(self, source: Source, fill: Fill) -> None:
        """``keys`` begins with the primary key, its columns in order, and says that pages can be turned by it."""
        for sample in (LEDGER, PAIRS):
            filled = fill(sample)
            keys = source.keys(filled.relation)
            assert keys, f"no key of {filled.relation}"
            assert keys[0].columns == filled.key
            assert keys[0].primary
            assert keys[0].pageable

    def test_a_table_without_a_key_has_none(self, source: Source, fill: Fill) -> None:
        """Where no index makes rows unique, no key says that pages can be turned by it."""
        filled = fill(TWINS)
        found = [key.columns for key in source.keys(filled.relation) if key.pageable]
        assert found == ([filled.key] if filled.key else [])

    @needs("queries")
    def test_a_query_delivers_what_its_table_does(
        self, source: Source, fill: Fill, query: Callable[[Relation], Query]
    ) -> None:
        """A query for everything in a table has the table's columns, types and rows, and no keys."""
        filled = fill(LEDGER)
        asked = query(filled.relation)
        request = plain(source, asked)
        assert data_schema(request).equals(data_schema(plain(source, filled.relation)))
        assert difference(rows_of_request(source, request), row_texts(filled.rows)) == ""
        assert source.keys(asked) == ()

    @needs("queries")
    def test_a_query_that_fails_says_so(self, source: Source, query: Callable[[Relation], Query]) -> None:
        """A query that the source refuses raises an error of rivet's when it is described."""
        with pytest.raises(RivetError):
            source.describe(query(Table("no such table")), ColumnRules())
