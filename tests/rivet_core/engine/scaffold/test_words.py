"""Whatever things are called, the loader reads back what the catalogue said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config.names import refuse_name
from rivet_core.config.placeholders import expand
from rivet_core.engine.scaffold.looked import LeftOut
from rivet_core.engine.scaffold.modes import suggestions
from rivet_core.engine.scaffold.overrides import proposed
from rivet_core.engine.scaffold.text import ExportText, Scaffold, SourceText, render
from rivet_core.engine.scaffold.words import export_names, scalar, table_word
from rivet_core.errors import UsageError
from rivet_core.types import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Facts

    from rivet_core.config import Configuration

#: What has a meaning somewhere: in YAML, in placeholders, in quoted names, in paths.
AWKWARD = (
    *("${", "$${", "${X}", "${X:-y}", "}", "{export}", '"', '""', "'", "\\", ".", "..", "/", "#", " #", ": ", ":"),
    *("- ", "?", "!", "&", "*", "|", ">", "%", "@", "`", ",", "[", "]", "{", "null", "~", "no", "true", "1e3", "0x1"),
    *("<<", "\n", "\r", "\t", " ", "\x07", "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "é"),
    *("e\u0301", "日本", "🐘", "---", "...", "='", "Δ"),
)
NAMES = st.lists(
    st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    min_size=1,
    max_size=6,
).map("".join)
TABLES = st.builds(Table, NAMES.filter(bool), st.none() | NAMES.filter(bool))


def written(facts: Facts, tables: list[Table], *, columns: tuple[Any, ...] = (), overrides: Any = ()) -> str:
    exports = []
    for table, name in zip(tables, export_names(tables), strict=True):
        looked = facts.looked(facts.id, *columns, rows=1, key=("id",), table=table)
        looked = attrs.evolve(looked, overrides=overrides)
        exports.append(ExportText(name=name, looked=looked, suggestion=suggestions(looked)[0]))
    return render(
        Scaffold(
            source=SourceText(kind="sqlite", keys=(("path", "shop.db"),)),
            format="parquet",
            destination="out/{export}",
            exports=tuple(exports),
        )
    )


@given(tables=st.lists(TABLES, min_size=1, max_size=4, unique=True))
def test_a_table_of_any_name_is_the_one_that_is_read(
    facts: Facts, read: Callable[[str], Configuration], tables: list[Table]
) -> None:
    assert [intent.relation for intent in read(written(facts, tables)).exports] == tables


@given(name=NAMES.filter(lambda name: name and "." not in name and "${" not in name), native=NAMES)
def test_uncommenting_the_columns_gives_them_the_types_that_stand_there(
    facts: Facts, read: Callable[[str], Configuration], name: str, native: str
) -> None:
    columns = (
        facts.column(name, pa.string(), native="numeric", text=True),
        facts.column(f"other {name}", pa.string(), native=native, text=True),
    )
    text = written(facts, [Table("t")], columns=columns, overrides=((name, "decimal(38,18)"),))
    assert read(text).exports[0].rules.types == ()
    lines = text.splitlines()
    start = lines.index("    # columns:")
    uncommented = [line.replace("# ", "", 1) for line in lines[start : start + 2]]
    changed = "\n".join([*lines[:start], *uncommented, *lines[start + 2 :]])
    assert read(changed).exports[0].rules.types == ((name, "decimal(38,18)"),)


@given(name=NAMES.filter(bool), reason=NAMES)
def test_what_is_left_out_is_a_comment_whatever_it_is_called(
    facts: Facts, read: Callable[[str], Configuration], name: str, reason: str
) -> None:
    good, bad = facts.looked(facts.id, rows=1), facts.looked(facts.id, table=Table(name))
    scaffold = Scaffold(
        source=SourceText(kind="sqlite", keys=(("path", "shop.db"),), remark=reason),
        format="parquet",
        destination="out",
        exports=(ExportText(name="t", looked=good, suggestion=suggestions(good)[0], note=reason),),
        left_out=(LeftOut(bad.relation, UsageError(reason, code="RIVET_INIT_NO_TABLES")),),
        head=(name,),
    )
    assert [intent.name for intent in read(render(scaffold)).exports] == ["t"]


@given(text=NAMES)
def test_a_scalar_is_one_line_that_every_reader_of_yaml_takes_for_this_text(text: str) -> None:
    word = scalar(text)
    assert len(word.splitlines()) <= 1
    assert expand(yaml.safe_load(word), {}.get).text == text


@given(tables=st.lists(TABLES, min_size=1, max_size=6, unique=True))
def test_every_export_has_a_name_of_its_own_that_is_allowed(tables: list[Table]) -> None:
    names = export_names(tables)
    assert [refuse_name(name) for name in names] == [None] * len(tables)
    assert len({name.casefold() for name in names}) == len(tables)


@pytest.mark.parametrize(
    ("tables", "names"),
    [
        ([Table("orders", "public"), Table("items", "public")], ("orders", "items")),
        ([Table("orders", "a"), Table("Orders", "b"), Table("x", "a")], ("a_orders", "b_Orders", "x")),
        ([Table("a b"), Table("a.b"), Table("...")], ("a_b", "a_b_2", "table")),
        ([Table("日本")], ("日本",)),
    ],
)
def test_an_export_is_called_like_its_table(tables: list[Table], names: tuple[str, ...]) -> None:
    assert export_names(tables) == names


@pytest.mark.parametrize("table", [Table(""), Table("a\0b"), Table("t", "")])
def test_a_name_that_the_file_cannot_say_is_none(table: Table) -> None:
    assert table_word(table) is None


@pytest.mark.parametrize("native", ["numeric", "NUMERIC", "decimal", "number"])
def test_a_number_without_a_precision_wants_a_decision(facts: Facts, native: str) -> None:
    column = facts.column("amount", pa.string(), native=native, text=True)
    assert proposed([column]) == (("amount", "decimal(38,18)"),)


@pytest.mark.parametrize(
    ("name", "native"),
    [("t", "numeric[]"), ("t", "numeric(100,2)"), ("t", "inet"), ("a.b", "numeric"), ("${x}", "numeric")],
)
def test_no_type_is_proposed_that_would_not_do_or_that_columns_cannot_say(facts: Facts, name: str, native: str) -> None:
    assert proposed([facts.column(name, pa.string(), native=native, text=True)]) == ()


def test_no_type_is_proposed_for_what_arrives_exactly(facts: Facts) -> None:
    assert proposed([facts.column("amount", pa.decimal128(9, 2), native="numeric")]) == ()
