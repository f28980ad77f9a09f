"""Names are data: whatever one holds, the statement keeps its shape, and the name arrives as it is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rivet_core.errors import RivetError
from rivet_core.requests import After, ColumnKey, ReadRequest
from rivet_core.types import ColumnRules, InvalidValue, Position, Query, Table
from rivet_source_postgres import catalogue, listing, pressure, probes, session
from rivet_source_postgres.catalogue import ColumnFacts, TypeName
from rivet_source_postgres.describe import Server, plan_column
from rivet_source_postgres.selects import TEXT
from rivet_source_postgres.translate import Extras, key_expression, select
from rivet_source_postgres.types import RULES

#: Any text that the server takes for a name, and the places of templates more often than chance would give them.
NAMES = st.lists(
    st.one_of(
        st.sampled_from(["{c}", "{}", "{0}", "%s", "%", "$1", "'", '"', "\\", "||", "--", "/*", ";", "E'", "$$", "|"]),
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5),
    ),
    min_size=1,
    max_size=6,
).map("".join)
_TOKEN = re.compile(
    r"""\s*E'(?P<escaped>(?:[^'\\]|''|\\\\)*)'|\s*'(?P<plain>(?:[^']|'')*)'|"(?P<name>(?:[^"]|"")*)\""""
)


def shape(sql: str) -> str:
    """The statement without what its names and literals hold."""
    return _TOKEN.sub(lambda match: '"N"' if match["name"] is not None else "'T'", sql)


def held(sql: str) -> set[str]:
    """What its names hold, and its literals."""
    found = set()
    for match in _TOKEN.finditer(sql):
        if match["name"] is not None:
            found.add(match["name"].replace('""', '"'))
        else:
            text = match["plain"] if match["plain"] is not None else match["escaped"].replace("\\\\", "\\")
            found.add(text.replace("''", "'"))
    return found


def column_facts(name: str, type_name: str, *, array: bool, kind: str = "b", schema: str = "pg_catalog") -> ColumnFacts:
    one = TypeName(schema=schema, name=type_name, kind=kind, modifier=-1)
    whole = TypeName(schema=schema, name=f"_{type_name}", kind="b", modifier=-1) if array else one
    return ColumnFacts(name=name, native="any", type=whole, element=one if array else None, not_null=False)


def statements(name: str, table: str, schema: str, type_schema: str) -> list[str]:
    """The statements for columns of every type, as scalars and arrays, under every policy and with overrides."""
    facts = [column_facts(name, kind, array=array) for kind in (*RULES, "inet") for array in (False, True)]
    facts += [
        column_facts(name, name, array=array, kind=kind, schema=type_schema)
        for kind in "ebcr"
        for array in (False, True)
    ]
    wishes = [(None, policy, ascii_) for policy in InvalidValue for ascii_ in (False, True)]
    wishes += [(word, InvalidValue.NULL, False) for word in ("text", "json", "int", "decimal(5,2)", "date", "uuid")]
    columns = tuple(
        plan_column(
            one, ColumnRules(on_invalid=policy, types=() if word is None else ((name, word),)), Server(ascii=ascii_)
        )
        for one in facts
        for word, policy, ascii_ in wishes
    )
    relation = Table(table, schema)
    key = ColumnKey(name)
    request = ReadRequest(
        relation=relation,
        columns=columns,
        order=(key,),
        terms=(After(keys=(key,), position=Position("text", name)),),
    )
    return [select(request, Extras(keys=(TEXT.of(key_expression(key)),), nulls_first=(key,)))]


@settings(deadline=None, max_examples=30)
@given(NAMES, NAMES, NAMES, NAMES)
def test_no_name_changes_the_shape_of_a_statement(name: str, table: str, schema: str, type_schema: str) -> None:
    found = statements(name, table, schema, type_schema)
    assert [shape(sql) for sql in found] == [shape(sql) for sql in statements("a", "b", "c", "d")]


@settings(deadline=None, max_examples=30)
@given(NAMES)
def test_a_name_arrives_as_it_is(name: str) -> None:
    stand_in = "\ue000"
    (plain,) = statements(stand_in, "b", "c", "d")
    (sql,) = statements(name, "b", "c", "d")
    assert held(sql) == {text.replace(stand_in, name) for text in held(plain)}


#: Words before a bracket that are no functions.
_SYNTAX = frozenset(
    {
        "and", "any", "array", "as", "by", "case", "coalesce", "cross", "else", "exists", "extract", "from", "in",
        "lateral", "not", "on", "operator", "or", "order", "over", "partition", "recursive", "select", "then", "union",
        "used", "values", "when", "where", "with",
    }
)  # fmt: skip
#: Heads of common table expressions and of aliases with columns.
_HEADS = frozenset({"base", "found", "indexed", "leaf", "listed", "next", "p", "size", "used", "wanted"})
_CALL = re.compile(r"(?<![.\w\"])([A-Za-z_]\w*) ?\(")
_BARE_TYPE = re.compile(r"::(?!pg_catalog\.)(?!\"N\"\.)[^\s,)]*")
_BARE_OPERATOR = re.compile(r"\s(?:[<>=!~|+*/%-]+|IS (?:NOT )?DISTINCT FROM|LIKE|IN|BETWEEN)\s")


def asked() -> dict[str, str]:
    """Everything that is asked, by where it is asked."""
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}": text
        for module in (catalogue, listing, pressure, probes, session)
        for name, text in vars(module).items()
        if isinstance(text, str) and name.startswith("_") and "pg_catalog" in text
    }
    (found["a read"],) = statements("a", "b", "c", "d")
    return found


@pytest.mark.parametrize("place", asked())
def test_nothing_is_named_without_its_schema(place: str) -> None:
    sql = shape(asked()[place])
    calls = {word for word in _CALL.findall(sql) if word.lower() not in _SYNTAX and word not in _HEADS}
    assert calls == set()
    assert _BARE_TYPE.findall(sql) == []
    assert _BARE_OPERATOR.findall(sql) == []


# -- on a server --------------------------------------------------------------

ODD = ["{c}'||evil()||'", "{c}", '{c}"', "a'||evil()||'b", "%s", "{0}", "$$", "\\'||evil()||'", "[1:2]|x", "|{c}|"]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture
def trapped(room: Any) -> Any:
    room.run_sql(
        "CREATE FUNCTION evil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'evil ran as %', current_user; END $$"
    )
    return room


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("native", ["int[]", "mood[]", "numeric[]", "price[]"])
def test_the_name_of_an_array_that_is_no_list_runs_nothing(trapped: Any, name: str, native: str) -> None:
    trapped.run_sql(
        f"CREATE TYPE mood AS ENUM ('1'); CREATE DOMAIN price AS int; CREATE TABLE t ({quoted(name)} {native});"
        "INSERT INTO t VALUES ('{{1}}')"
    )
    for relation in (Table("t"), Query("SELECT * FROM t")):
        with pytest.raises(RivetError) as caught:
            trapped.batches(relation)
        assert caught.value.code == "RIVET_SOURCE_VALUE_UNREPRESENTABLE"
        assert caught.value.place is not None
        assert (caught.value.place.field, caught.value.place.value) == (name, "[1:1][1:1]")
    assert trapped.column("t", name, on_invalid="null") == [None]


@pytest.mark.parametrize("name", ODD)
def test_every_name_is_data(trapped: Any, name: str) -> None:
    label = name.replace("'", "''")
    trapped.run_sql(
        f"""
        CREATE SCHEMA {quoted("s" + name)};
        CREATE TYPE {quoted("s" + name)}.{quoted(name)} AS ENUM ('{label}', 'other');
        CREATE TABLE {quoted("s" + name)}.{quoted(name + "t")} (
            {quoted(name)} {quoted("s" + name)}.{quoted(name)} PRIMARY KEY,
            {quoted(name + "s")} {quoted("s" + name)}.{quoted(name)}[]
        );
        INSERT INTO {quoted("s" + name)}.{quoted(name + "t")} SELECT e, ARRAY[e] FROM
            unnest(enum_range(NULL::{quoted("s" + name)}.{quoted(name)})) e
        """
    )
    try:
        relation = Table(name + "t", "s" + name)
        batches = trapped.batches(relation, order=(ColumnKey(name),))
        assert [row for batch in batches for row in batch.data.to_pylist()] == [
            {name: value, name + "s": [value]} for value in (name, "other")
        ]
        first = trapped.batches(relation, order=(ColumnKey(name),), limit=1)[0].mark
        assert first.value == name
        after = (After(keys=(ColumnKey(name),), position=first),)
        assert trapped.column(relation, name, terms=after) == ["other"]
        low = trapped.own.bounds(relation, name)
        assert (low.low.value, low.high.value) == (name, "other")
    finally:
        trapped.run_sql(f"SET client_min_messages = error; DROP SCHEMA {quoted('s' + name)} CASCADE")
