"""What a source is asked; over the reference source, which lists its tables or does not."""

from __future__ import annotations

import pyarrow as pa
import pytest

from rivet_core.engine.scaffold.looking import chosen_relations, look
from rivet_core.errors import RivetError
from rivet_core.testing import ReferenceDatabase, ReferenceOptions, ReferenceSource, reference_type
from rivet_core.types import Table


@pytest.fixture
def source() -> ReferenceSource:
    database = ReferenceDatabase("shop")
    for name in ("orders", "items"):
        database.create(name, pa.table({"id": [1, 2]}), key=("id",))
    return ReferenceSource(ReferenceOptions(database=database))


def test_a_source_that_lists_its_tables_is_asked_for_all(source: ReferenceSource) -> None:
    found = chosen_relations(source, reference_type())
    assert [facts.table for facts in found] == [Table("items"), Table("orders")]


def test_a_source_that_does_not_needs_names(source: ReferenceSource) -> None:
    with pytest.raises(RivetError) as caught:
        chosen_relations(source, reference_type(relations=False))
    assert (caught.value.code, "--table" in str(caught.value)) == ("RIVET_CLI_OPTION_UNSUPPORTED", True)
    found = chosen_relations(source, reference_type(relations=False), tables=("orders",))
    assert [(facts.table, facts.primary_key) for facts in found] == [(Table("orders"), ())]


def test_the_sources_own_error_tells_of_a_table_that_is_not_there(source: ReferenceSource) -> None:
    with pytest.raises(RivetError) as caught:
        chosen_relations(source, reference_type(relations=False), tables=("ghosts",))
    assert caught.value.code == "RIVET_SOURCE_TABLE_NOT_FOUND"


def test_named_tables_keep_their_order_and_come_once(source: ReferenceSource) -> None:
    found = chosen_relations(source, reference_type(), tables=("orders", "items", "orders"))
    assert [facts.table.name for facts in found] == ["orders", "items"]


def test_no_row_is_read(source: ReferenceSource) -> None:
    for facts in chosen_relations(source, reference_type()):
        look(source, facts)
    assert source.database.reads == 0
