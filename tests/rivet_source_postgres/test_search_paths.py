"""The search path decides what a user's own names mean, and nothing about functions, operators and types of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pytest

from rivet_core.errors import RivetError
from rivet_core.requests import After, AtOrAfter, Between, ColumnKey, ReadContext, ReadRequest, Since, Until
from rivet_core.types import ColumnRules, InvalidValue, Position, Query, Table

TABLE = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN price AS numeric(12,3);
CREATE DOMAIN cheap AS price;
CREATE TYPE pair AS (a int, b text);
CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;
CREATE TABLE t (
    flag bool, small smallint, mid int PRIMARY KEY, big bigint, o oid, r real, d double precision, n numeric(10,4),
    bare numeric, m money, t text, v varchar(9), c char(4), nm name, one "char", b bytea, day date, tm time,
    ts timestamp, tz timestamptz, j json, jb jsonb, u uuid, e mood, p cheap, iv interval, bits bit(3), ip inet,
    span int4range, x xml, row pair, ci citext, list int[], words text[], amounts numeric(5,2)[], bares numeric[],
    moods mood[], oids oid[], monies money[], cheaps cheap[], days date[], rows pair[]
);
INSERT INTO t VALUES (
    true, 1, 1, 1, 4294967295, 1.5, 0.1, -0.0001, 1e-20, 1000.01, 'it''s', 'é', 'ab', 'nm', (-56)::"char", '\\x00ff',
    '2024-02-29', '23:59:59.999999', '2024-02-29 00:00:00.000001', '2024-02-29 00:00+03', '{"a" : 1}', '{"b":2}',
    '123e4567-e89b-12d3-a456-426614174000', 'sad', 0.125, '1 year 04:05:06.7', B'101', '10.0.0.1/24', '[1,5)', '<a/>',
    '(1,x)', 'Ab', '{1,NULL,3}', '{"a, b",NULL,""}', '{1.10,NULL}', '{1.5,NaN}', '{sad,glad}', '{4294967295}', '{1.5}',
    '{3.5}', '{2024-02-29}', '{"(1,x)"}'
);
INSERT INTO t (mid, e, d, n, t, ci, ts, o, iv) VALUES
    (2, 'glad', 2, 2, 'x', 'b', '2025-01-01', 7, '2 days'), (3, 'glad', 2, 2, 'x', 'B', '2025-01-01', 7, '48:00');
CREATE VIEW seen AS SELECT * FROM t;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM t;
CREATE TABLE parted (i int PRIMARY KEY) PARTITION BY RANGE (i);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (9);
"""
#: A word for every column that can be had otherwise.
WORDS = {
    "small": "bigint", "mid": "smallint", "big": "int", "o": "bigint", "flag": "int", "n": "double", "r": "double",
    "bare": "decimal(38,20)", "m": "decimal(10,2)", "t": "binary", "day": "timestamp", "ts": "timestamptz",
    "tz": "date", "u": "binary", "e": "json", "list": "json", "moods": "text", "d": "real", "ip": "text",
    "span": "json", "row": "json", "c": "text",
}  # fmt: skip
AS_THEY_ARE = ColumnRules()


@pytest.fixture
def both(room: Any, request: pytest.FixtureRequest) -> Iterator[tuple[Any, Any]]:
    """A source, and one that finds another's functions, operators and types before the server's."""
    room.run_sql(f"SET client_min_messages = error; DROP SCHEMA IF EXISTS evil CASCADE;{TABLE}")
    room.run_sql(Path(__file__).with_name("hostile.sql").read_text(encoding="utf-8"))
    with closing(room.source()) as hostile:
        # Not in the URL: what the driver asks while connecting is its own.
        path = f"evil, {room.schema}, pg_catalog, public"
        hostile._main().rows(f"SELECT pg_catalog.set_config('search_path', '{path}', false)")
        # It is the connection that was asked all the while.
        connection = hostile._main()._connection
        yield room.own, hostile
        assert (
            request.function is test_the_schema_that_comes_first_is_hostile or hostile._main()._connection is connection
        )
    room.run_sql("SET client_min_messages = error; DROP SCHEMA evil CASCADE")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT array_ndims('{1}'::pg_catalog.int4[])", "SELECT 1 + 1", "SELECT lower('A')",
        "SELECT 'A'::text LIKE 'A'",
        "SELECT 2 IS NOT DISTINCT FROM 1", "SELECT pg_typeof(1)", "SELECT count(*)",
        "SELECT '1'::int8", "SELECT FROM pg_class WHERE relname IS NOT NULL",
    ],
)  # fmt: skip
def test_the_schema_that_comes_first_is_hostile(both: tuple[Any, Any], text: str) -> None:
    """Else the tests below would prove nothing."""
    with pytest.raises(RivetError, match=r"evil|malformed record|is not an aggregate|relname|not unique"):
        both[1]._main().rows(text)


def read(source: Any, relation: Any, rules: ColumnRules = AS_THEY_ARE, **request: Any) -> list[Any]:
    columns = source.describe(relation, rules).columns
    with source.read(ReadRequest(relation=relation, columns=columns, **request), ReadContext()) as batches:
        return [(batch.data.to_pylist(), batch.mark, batch.nulled) for batch in batches]


def described(source: Any, table: str) -> Any:
    """The columns but for the names of their types, which the server qualifies where another's would be meant."""
    schema = source.describe(Table(table), ColumnRules())
    return attrs.evolve(schema, columns=tuple(attrs.evolve(one, native_type="") for one in schema.columns))


@pytest.mark.parametrize("relation", [Table("t"), Table("seen"), Table("kept", "room"), Query("TABLE t")], ids=str)
def test_every_type_arrives_the_same(both: tuple[Any, Any], relation: Any) -> None:
    rules = [ColumnRules(on_invalid=policy) for policy in InvalidValue]
    rules.append(ColumnRules(types=tuple(WORDS.items())))
    rules.append(ColumnRules(types=tuple(WORDS.items()), on_invalid=InvalidValue.NULL))
    rules.append(ColumnRules(types=(("t", "text"), ("e", "text"), ("iv", "text"), ("ts", "date"), ("list", "text"))))
    for one in rules:
        plain, hostile = (read(source, relation, one) for source in both)
        assert repr(hostile) == repr(plain)


@pytest.mark.parametrize("name", ["mid", "big", "o", "d", "n", "t", "v", "ts", "u", "e", "iv", "ci", "p", "ip"])
def test_every_key_is_ordered_and_compared_the_same(both: tuple[Any, Any], name: str) -> None:
    key = ColumnKey(name)
    plain, hostile = (read(source, Table("t"), order=(key, ColumnKey("mid"))) for source in both)
    assert hostile == plain
    plain, hostile = (read(source, Table("t"), order=(key,)) for source in both)
    assert hostile == plain
    mine = both[0].bounds(Table("t"), name)
    assert both[1].bounds(Table("t"), name) == mine
    assert both[1].keys(Table("t")) == both[0].keys(Table("t"))
    second = Position("int64", "2")
    for terms in (
        (After(keys=(key,), position=mine.low),),
        (AtOrAfter(keys=(key, ColumnKey("mid")), position=Position.row(mine.high, second)),),
        (Until(keys=(ColumnKey("mid"), key), position=Position.row(second, mine.high)),),
        (Between(key=key, low=mine.low, high=mine.high),),
        (Since(column=name, literal=mine.high.value),),
    ):
        plain, hostile = (read(source, Table("t"), terms=terms) for source in both)
        assert hostile == plain
        request = ReadRequest(relation=Table("t"), columns=(), terms=terms)
        assert both[1].count(request, ReadContext()) == both[0].count(request, ReadContext()) == len(plain[0][0])
        assert both[1].split(request, (key,), 2) == both[0].split(request, (key,), 2)


def test_every_question_has_the_same_answer(room: Any, both: tuple[Any, Any]) -> None:
    plain, hostile = both
    hostile.check()
    assert hostile.identity() == plain.identity()
    assert abs((hostile.now() - plain.now()).total_seconds()) < 60
    assert {one.table.schema for one in hostile.relations()} >= {room.schema, "evil"}
    assert hostile.relations() == plain.relations()
    assert isinstance(hostile.pressure(), int)
    for table in ("t", "seen", "parted"):
        assert described(hostile, table) == described(plain, table)
    with pytest.raises(RivetError, match=r"There is room\.t"):
        hostile.describe(Table("T"), ColumnRules())
    with hostile.snapshot() as snapshot:
        columns = hostile.describe(Table("t"), ColumnRules()).columns
        context = ReadContext(snapshot=snapshot)
        with hostile.read(ReadRequest(relation=Table("t"), columns=columns), context) as batches:
            assert sum(batch.data.num_rows for batch in batches) == 3


#: The driver compares these types, of which the server has no operator, so that another's fits better.
OPERATORS = """
CREATE SEQUENCE ran;
CREATE FUNCTION other(regproc, int4) RETURNS bool LANGUAGE plpgsql AS
    $$ BEGIN PERFORM nextval('ran'); RAISE WARNING 'it ran'; RETURN $1::oid <> $2::oid; END $$;
CREATE OPERATOR <> (leftarg = regproc, rightarg = int4, function = other);
CREATE TABLE t AS SELECT 1 AS a;
"""


def test_nothing_of_others_runs_while_the_driver_connects(room: Any, capfd: pytest.CaptureFixture[str]) -> None:
    room.run_sql(OPERATORS)
    # A URL of its own, so that the driver asks anew.
    url = room.url.replace("options=", "application_name=another&options=")
    with closing(room.source_of(url)) as source:
        assert source.describe(Table("t"), ColumnRules()).columns
    assert room.psql_text("SELECT is_called FROM ran") == "f"
    assert capfd.readouterr().err == ""
