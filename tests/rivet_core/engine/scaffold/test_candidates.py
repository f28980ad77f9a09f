from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from rivet_core.engine.scaffold.candidates import chunks, cursors, fallback

if TYPE_CHECKING:
    from conftest import Facts


def test_cursors_are_ranked_by_what_speaks_for_them(facts: Facts) -> None:
    plain = facts.column("seen", pa.timestamp("us"))
    found = cursors(facts.looked(facts.id, plain, facts.created, facts.updated, facts.name, key=("id",)))
    assert [one.column for one in found] == ["updated_at", "created_at", "seen", "id"]
    assert found[0].reasons == ("timestamp_type", "name_suggests_updated", "nullable")
    assert found[-1].reasons == ("integer_monotonic", "primary_key")


def test_a_date_and_a_number_outside_the_key_are_no_cursors(facts: Facts) -> None:
    assert cursors(facts.looked(facts.id, facts.column("updated_on", pa.date32()))) == ()


def test_only_a_time_that_is_never_null_stands_in(facts: Facts) -> None:
    also = facts.column("seen", pa.timestamp("us"))
    assert fallback(cursors(facts.looked(facts.updated, also, facts.id, key=("id",)))) is None
    assert fallback(cursors(facts.looked(facts.updated, also, facts.created))) == "created_at"


def test_chunks_are_integers_the_key_first(facts: Facts) -> None:
    count = facts.column("count", pa.int32())
    found = chunks(facts.looked(count, facts.name, facts.id, key=("id",)))
    assert [(one.column, one.is_primary_key) for one in found] == [("id", True), ("count", False)]
