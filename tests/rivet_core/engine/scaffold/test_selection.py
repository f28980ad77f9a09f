from __future__ import annotations

import pytest

from rivet_core.engine.scaffold.selection import named, not_found, selected
from rivet_core.errors import UsageError
from rivet_core.schema import RelationFacts
from rivet_core.types import Table

ALL = tuple(
    RelationFacts(table=table)
    for table in (
        Table("orders", "public"),
        Table("order_lines", "public"),
        Table("Odd Name", "public"),
        Table("orders", "old"),
    )
)


def names(*, include: tuple[str, ...] = (), exclude: tuple[str, ...] = (), schema: str | None = None) -> list[str]:
    return [str(facts.table) for facts in selected(ALL, schema=schema, include=include, exclude=exclude)]


def test_everything_is_selected_when_nothing_is_said() -> None:
    assert len(names()) == len(ALL)


def test_a_schema_is_taken_exactly() -> None:
    assert names(schema="old") == ["old.orders"]


def test_any_pattern_includes_and_any_excludes() -> None:
    assert names(include=("order*", "Odd*"), exclude=("*_lines",)) == ["public.orders", "public.Odd Name", "old.orders"]


def test_a_pattern_may_hold_the_schema() -> None:
    assert names(include=("old.*",)) == ["old.orders"]
    assert "old.orders" not in names(exclude=("old.*",))


@pytest.mark.parametrize(
    ("relations", "schema", "include", "hint"),
    [(ALL, None, ("ghost*",), "pattern"), (ALL, "ghost", (), "old, public"), ((), None, (), "rights")],
)
def test_nothing_selected_says_why(
    relations: tuple[RelationFacts, ...], schema: str | None, include: tuple[str, ...], hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        selected(relations, schema=schema, include=include)
    assert (caught.value.code, hint in str(caught.value)) == ("RIVET_INIT_NO_TABLES", True)


@pytest.mark.parametrize("word", ["old.orders", "order_lines", "Odd Name", '"Odd Name"', 'public."Odd Name"'])
def test_a_table_is_named_as_the_file_names_it_or_as_it_is(word: str) -> None:
    found = named(ALL, word)
    assert found is not None
    assert word.replace('"', "") in {found.table.name, str(found.table)}


def test_a_name_that_two_schemas_have_is_ambiguous() -> None:
    with pytest.raises(UsageError) as caught:
        named(ALL, "orders")
    assert caught.value.code == "RIVET_INIT_TABLE_AMBIGUOUS"
    assert "public.orders, old.orders" in str(caught.value)


@pytest.mark.parametrize(
    ("word", "meant"), [("public.ordres", "public.orders"), ("ODD NAME", "public.Odd Name"), ("lines", None)]
)
def test_a_name_that_nothing_has_is_told_with_the_nearest(word: str, meant: str | None) -> None:
    remedy = not_found(ALL, word).remedy or ""
    assert (f"{meant!r}" in remedy) if meant else ("did you mean" not in remedy)
