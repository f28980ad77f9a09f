"""Values as they arrive: exact, as the server's own text, or refused by name."""

from __future__ import annotations

from contextlib import closing
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from rivet_core.errors import RivetError
from rivet_core.requests import ColumnKey, ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Fidelity, InvalidValue, Table


def refused(room: Any, relation: str, **keys: Any) -> RivetError:
    with pytest.raises(RivetError) as caught:
        room.batches(relation, **keys)
    assert caught.value.code == "RIVET_SOURCE_VALUE_UNREPRESENTABLE"
    return caught.value


# -- decimals -----------------------------------------------------------------


@pytest.fixture
def decimals(room: Any) -> Any:
    room.run_sql(
        """
        CREATE TABLE t01 (
            id int PRIMARY KEY, a numeric(10,4), b numeric(4,0), c numeric(38,10), d numeric, e numeric(5,2)[]);
        INSERT INTO t01 VALUES
            (1,0,2013,1234567890123456789012345678.0123456789,1e-20,'{1.10,NULL}'),
            (2,-0.0001,0,NULL,99999999999999999999999999999999999999999,NULL);
        CREATE TABLE t01_empty (LIKE t01);
        """
    )
    return room


def test_decimals_are_exact_and_keep_their_scale(decimals: Any) -> None:
    table = decimals.table("t01", order=())
    assert table.schema.field("a").type == pa.decimal128(10, 4)
    assert [str(value) for value in table["a"].to_pylist()] == ["0.0000", "-0.0001"]
    assert table["b"].to_pylist() == [Decimal(2013), Decimal(0)]
    assert table["c"].to_pylist() == [Decimal("1234567890123456789012345678.0123456789"), None]
    assert table["e"].to_pylist() == [[Decimal("1.10"), None], None]
    assert table.schema.field("e").type == pa.list_(pa.decimal128(5, 2))


def test_a_numeric_without_a_scale_is_exact_text_and_says_so(decimals: Any) -> None:
    column = decimals.columns("t01")["d"]
    assert (column.field.type, column.fidelity) == (pa.string(), Fidelity.TEXT)
    assert "decimal(p,s)" in column.remark
    assert decimals.column("t01", "d") == decimals.psql_text("SELECT d FROM t01 ORDER BY id").split("\n")


def test_no_rows_have_the_types_of_many(decimals: Any) -> None:
    assert decimals.table("t01_empty").schema == decimals.table("t01").schema
    assert decimals.table("SELECT * FROM t01 WHERE false").schema.field("a").type == pa.decimal128(10, 4)


@pytest.mark.parametrize(
    ("native", "value", "arrow"),
    [
        ("numeric(3,5)", "0.00999", pa.decimal128(5, 5)),
        ("numeric(5,-2)", "1234500", pa.decimal128(7, 0)),
        ("numeric(38,0)", "9" * 38, pa.decimal128(38, 0)),
        ("numeric(39,1)", "9" * 38 + ".9", pa.decimal256(39, 1)),
        ("numeric(76,76)", "0." + "9" * 76, pa.decimal256(76, 76)),
        ("numeric(77,0)", "9" * 77, pa.string()),
        ("numeric(1000,500)", "1." + "0" * 499 + "1", pa.string()),
        ("numeric", "1.500", pa.string()),
    ],
)
def test_every_precision_and_scale_arrives_exact(room: Any, native: str, value: str, arrow: pa.DataType) -> None:
    room.run_sql(f"CREATE TABLE t (n {native}); INSERT INTO t VALUES ({value}), (NULL), (-{value})")
    table = room.table("t")
    assert table.schema.field("n").type == arrow
    values = [
        None if cell is None else format(cell, "f") if isinstance(cell, Decimal) else cell
        for cell in table["n"].to_pylist()
    ]
    assert values == [value, None, f"-{value}"]


def test_a_decimal_that_is_no_number_is_refused_with_its_place(room: Any) -> None:
    room.run_sql("CREATE TABLE t (id int, n numeric(5,2)); INSERT INTO t VALUES (1, 1), (2, 'NaN')")
    error = refused(room, "t")
    assert error.place is not None
    assert (error.place.relation, error.place.field, error.place.value) == ("t", "n", "NaN")
    assert room.column("t", "n", on_invalid="null") == [Decimal("1.00"), None]
    assert room.column("t", "n", on_invalid="text") == ["1.00", "NaN"]


def test_an_infinite_numeric_is_no_decimal(room: Any) -> None:
    room.run_sql("CREATE TABLE t (n numeric); INSERT INTO t VALUES ('Infinity'), ('-Infinity'), (0)")
    assert room.column("t", "n") == ["Infinity", "-Infinity", "0"]
    assert room.column("t", "n", types={"n": "decimal(5,1)"}, on_invalid="null") == [None, None, Decimal("0.0")]


def test_an_override_gives_a_bare_numeric_its_scale(decimals: Any) -> None:
    decimals.run_sql("DELETE FROM t01 WHERE id = 2; UPDATE t01 SET d = 12.5")
    table = decimals.table("t01", types={"d": "decimal(38,18)"})
    assert table["d"].to_pylist() == [Decimal("12.500000000000000000")]


def test_an_override_never_rounds(decimals: Any) -> None:
    error = refused(decimals, "t01", types={"d": "decimal(38,18)"})
    assert error.place is not None
    assert error.place.value == "0.00000000000000000001"
    batches = decimals.batches("t01", types={"d": "decimal(38,18)"}, on_invalid="null")
    assert [batch.nulled for batch in batches] == [(("d", 2),)]


# -- dates and times ----------------------------------------------------------


@pytest.fixture
def moments(room: Any) -> Any:
    room.run_sql(
        """
        CREATE TABLE t03 (id int, d date, ts timestamp, tz timestamptz);
        INSERT INTO t03 VALUES
            (1,'infinity','infinity','-infinity'),
            (2,'0044-03-15 BC','0044-03-15 12:00 BC','0044-03-15 12:00+00 BC'),
            (3,'5874897-12-31','294276-12-31 23:59:59','294276-12-31 23:59:59+00'),
            (4,'2024-02-29','2024-02-29 00:00:00.000001','2024-02-29 00:00+03');
        """
    )
    return room


def test_moments_before_christ_are_exact(moments: Any) -> None:
    good = "SELECT * FROM t03 WHERE id IN (2, 4) ORDER BY id"
    assert moments.column(good, "d") == [-735_160, 19_782]
    assert moments.column(good, "ts") == [-735_160 * 86_400_000_000 + 43_200_000_000, 1_709_164_800_000_001]
    assert moments.column(good, "tz") == [-735_160 * 86_400_000_000 + 43_200_000_000, 1_709_154_000_000_000]


@pytest.mark.parametrize(
    ("column", "row", "value"),
    [
        ("d", 1, "infinity"),
        ("ts", 1, "infinity"),
        ("tz", 1, "-infinity"),
        ("ts", 3, "294276-12-31 23:59:59.000000"),
        ("tz", 3, "294276-12-31 23:59:59.000000+00"),
    ],
)
def test_a_moment_that_arrow_cannot_hold_is_refused_with_its_value(
    moments: Any, column: str, row: int, value: str
) -> None:
    error = refused(moments, f"SELECT {column} FROM t03 WHERE id IN ({row}, 4)")
    assert error.place is not None
    assert (error.place.field, error.place.value) == (column, value)


def test_moments_that_arrow_cannot_hold_become_null_and_are_counted(moments: Any) -> None:
    everything = "SELECT * FROM t03 ORDER BY id"
    batches = moments.batches(everything, on_invalid="null")
    assert dict(batches[0].nulled) == {"d": 1, "ts": 2, "tz": 2}
    # A date has no end before the server's own.
    assert moments.column(everything, "d", on_invalid="null") == [None, -735_160, 2_145_042_905, 19_782]
    assert [cell is None for cell in moments.column(everything, "ts", on_invalid="null")] == [True, False, True, False]


def test_moments_as_text_are_the_servers(moments: Any) -> None:
    column = moments.columns("t03", ColumnRules(on_invalid=InvalidValue.TEXT))["tz"]
    assert (column.field.type, column.fidelity) == (pa.string(), Fidelity.TEXT)
    asked = "SET timezone = UTC; SET datestyle = ISO; SELECT tz FROM t03 ORDER BY id"
    assert moments.column("SELECT * FROM t03 ORDER BY id", "tz", on_invalid="text") == moments.psql_text(asked).split(
        "\n"
    )


def test_the_policy_can_be_one_columns(moments: Any) -> None:
    rules = ColumnRules(on_invalid_by_column=(("ts", InvalidValue.TEXT),))
    columns = moments.columns("t03", rules)
    assert [column.field.type for column in columns.values()][1:] == [
        pa.date32(),
        pa.string(),
        pa.timestamp("us", "UTC"),
    ]


def test_the_end_of_the_day_is_no_time_of_day(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a time); INSERT INTO t VALUES ('00:00'), ('24:00'), ('23:59:59.999999')")
    error = refused(room, "t")
    assert error.place is not None
    assert error.place.value == "24:00:00.000000"
    assert room.column("t", "a", on_invalid="null") == [0, None, 86_399_999_999]
    assert room.column("t", "a", on_invalid="text") == ["00:00:00", "24:00:00", "23:59:59.999999"]


def test_a_time_of_nanoseconds_has_its_own_ends(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a timestamp); INSERT INTO t VALUES ('2024-02-29 00:00:00.000001'), ('2300-01-01')")
    error = refused(room, "t", types={"a": "timestamp_ns"})
    assert error.place is not None
    assert error.place.value == "2300-01-01 00:00:00.000000"
    assert room.column("t", "a", types={"a": "timestamp_ns"}, on_invalid="null") == [1_709_164_800_000_001_000, None]


def test_intervals_are_iso_8601_with_six_digits(room: Any) -> None:
    room.run_sql(
        """
        SET intervalstyle = postgres;
        CREATE TABLE t (id int, a interval);
        INSERT INTO t VALUES (1, '1 year 2 months 3 days 04:05:06.7'), (2, '0'), (3, '-1 year 2 mons'),
            (4, '-04:05:06.000001'), (5, '1 mon -3 days'), (6, '3000000:00:00'), (7, '-0.5 sec'), (8, NULL),
            (9, '-178000000 years');
        """
    )
    assert room.column("SELECT * FROM t ORDER BY id", "a") == [
        "P1Y2M3DT4H5M6.700000S", "PT0S", "P-10M", "PT-4H-5M-6.000001S", "P1M-3D", "PT3000000H", "PT-0.500000S", None,
        "P-178000000Y",
    ]  # fmt: skip


# -- the server's own text ----------------------------------------------------

TEXTS = {
    "bit(3)": "B'101'",
    "bit varying": "B'1'",
    "timetz": "'04:05:06.7+02'",
    "int4range": "'[1,5)'",
    "tstzrange": "'[2020-01-01,)'",
    "numrange": "'empty'",
    "int4multirange": "'{[1,2),[5,7)}'",
    "inet": "'10.0.0.1/24'",
    "cidr": "'10.0.0.0/8'",
    "macaddr": "'08:00:2b:01:02:03'",
    "macaddr8": "'08:00:2b:01:02:03:04:05'",
    "xml": "'<a b=\"ü\"/>'",
    "tsvector": "'a b'",
    "tsquery": "'a & b'",
    "point": "'(1.5,-2)'",
    "line": "'{1,2,3}'",
    "lseg": "'((1,2),(3,4))'",
    "box": "'((1,2),(3,4))'",
    "path": "'[(1,2),(3,4)]'",
    "polygon": "'((1,2),(3,4))'",
    "circle": "'<(1,2),3>'",
    "jsonpath": "'$.a'",
    "pg_lsn": "'16/B374D848'",
    "xid": "'4294967295'",
    "xid8": "'18446744073709551615'",
    "tid": "'(0,1)'",
    "regclass": "'pg_class'",
    "regtype": "'integer'",
    "aclitem": "'rivet=r/rivet'",
    "refcursor": "'c'",
    "oidvector": "'1 2'",
    "int2vector": "'1 2'",
    "txid_snapshot": "'10:20:10,14,15'",
    "pair": "'(1,\"a, b\")'",
    "pair[]": "'{\"(1,a)\",NULL}'",
    "inet[]": "'{10.0.0.1,NULL}'",
    "bit(2)[]": "'{10,NULL}'",
    "interval[]": "'{1 day}'",
    "narrow": "'10.0.0.1'",
    "citext": "'Ab'",
    "hstore": '\'"a"=>NULL, "b"=>"c d"\'',
    "ltree": "'a.b'",
}


def test_a_type_without_a_twin_is_the_servers_text(room: Any) -> None:
    names = {native: f"c{place}" for place, native in enumerate(TEXTS)}
    room.run_sql(
        f"""
        SET client_min_messages = error;
        CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;
        CREATE EXTENSION IF NOT EXISTS hstore SCHEMA public;
        CREATE EXTENSION IF NOT EXISTS ltree SCHEMA public;
        CREATE TYPE pair AS (a int, b text);
        CREATE DOMAIN narrow AS inet;
        CREATE TABLE t (place int, {", ".join(f"{name} {native}" for native, name in names.items())});
        INSERT INTO t VALUES (1, {", ".join(TEXTS.values())});
        INSERT INTO t (place) VALUES (2);
        """
    )
    planned = {native: room.columns("t")[name] for native, name in names.items()}
    assert [native for native, column in planned.items() if column.field.type != pa.string()] == []
    assert [native for native, column in planned.items() if column.fidelity is not Fidelity.TEXT] == []
    settings = "SET timezone = UTC; SET intervalstyle = iso_8601;"
    printed = room.psql_text(f"{settings} SELECT {', '.join(names.values())} FROM t WHERE place = 1").split("|")
    for relation in ("t", "SELECT * FROM t"):
        first, second = sorted(room.table(relation).to_pylist(), key=lambda row: row["place"])
        assert {native: first[name] for native, name in names.items()} == dict(zip(names, printed, strict=True))
        assert [native for native, name in names.items() if second[name] is not None] == []


def test_the_values_of_a_real_table_arrive_as_psql_prints_them(room: Any) -> None:
    room.run_sql(
        """
        SET client_min_messages = error;
        CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;
        CREATE TABLE t05 (
            id int, m money, b bit(3), vb varbit, tt timetz, o oid, r int4range, tr tstzrange, ip inet, c citext,
            x xml, sv tsvector);
        INSERT INTO t05 VALUES
            (1,1000.01,B'101',B'1','04:05:06+02',4294967295,'[1,5)','[2020-01-01,)','10.0.0.1/24','Ab','<a/>','a b'),
            (2,NULL,NULL,NULL,NULL,NULL,'empty',NULL,NULL,NULL,NULL,NULL);
        """
    )
    first, second = room.table("SELECT * FROM t05 ORDER BY id").to_pylist()
    assert first["m"] == Decimal("1000.01")
    assert first["o"] == 4294967295
    printed = room.psql_text("SET timezone = UTC; SELECT b, vb, tt, r, tr, ip, c, x, sv FROM t05 WHERE id = 1")
    assert [first[name] for name in ("b", "vb", "tt", "r", "tr", "ip", "c", "x", "sv")] == printed.split("|")
    assert second == {**dict.fromkeys(first), "id": 2, "r": "empty"}


def test_money_has_the_scale_of_the_servers_locale(room: Any) -> None:
    room.run_sql("CREATE TABLE t (m money, l money[]); INSERT INTO t VALUES (-92233720368547758.08, '{1.5,NULL}')")
    table = room.table("t")
    assert table.schema.types == [pa.decimal128(19, 2), pa.list_(pa.decimal128(19, 2))]
    assert table.to_pylist() == [{"m": Decimal("-92233720368547758.08"), "l": [Decimal("1.50"), None]}]


def test_a_char_of_any_byte_is_valid_text(room: Any) -> None:
    room.run_sql(
        """CREATE TABLE t (id int, c "char"); INSERT INTO t VALUES (1,'a'), (2,(-56)::"char"), (3,''), (4,NULL)"""
    )
    assert room.column("SELECT * FROM t ORDER BY id", "c") == ["a", "\\310", "", None]


def test_padding_and_length_are_kept(room: Any) -> None:
    room.run_sql("CREATE TABLE t (c char(4), n name, v varchar(3)); INSERT INTO t VALUES ('a ', 'b', 'c ')")
    assert room.table("t").to_pylist() == [{"c": "a   ", "n": "b", "v": "c "}]


def test_floats_are_exact_also_where_they_are_no_numbers(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (id int, a real, b float8);
        INSERT INTO t VALUES (1,'NaN','Infinity'), (2,'-0','5e-324'), (3,'3.4028235e38','0.1')
        """
    )
    values = room.table("SELECT * FROM t ORDER BY id").to_pylist()
    assert (
        repr([(row["a"], row["b"]) for row in values]) == "[(nan, inf), (-0.0, 5e-324), (3.4028234663852886e+38, 0.1)]"
    )


def test_json_is_kept_to_the_letter(room: Any) -> None:
    room.run_sql(
        """CREATE TABLE t (j json, b jsonb); INSERT INTO t VALUES ('{"a" :1.0,"a":2}', '{"b":1.0,"a":[1,2]}')"""
    )
    assert room.table("t").to_pylist() == [{"j": '{"a" :1.0,"a":2}', "b": '{"a": [1, 2], "b": 1.0}'}]


def test_an_enum_made_after_connecting_is_its_label(room: Any) -> None:
    source = room.source()
    source.check()
    room.run_sql(
        """
        CREATE TYPE mood AS ENUM ('sad', 'glad');
        CREATE TABLE t (m mood, l mood[]);
        INSERT INTO t VALUES ('glad', '{sad}')
        """
    )
    assert room.table("t").to_pylist() == [{"m": "glad", "l": ["sad"]}]
    source.close()


def test_domains_are_what_they_are_made_of(room: Any) -> None:
    room.run_sql(
        """
        CREATE DOMAIN price AS numeric(12,3); CREATE DOMAIN cheap AS price CHECK (VALUE < 10);
        CREATE DOMAIN prices AS numeric(5,1)[]; CREATE DOMAIN ids AS int[];
        CREATE TABLE t (a cheap NOT NULL, b prices, c ids, d cheap[]);
        INSERT INTO t VALUES (1.5, '{2.5}', '{1}', '{3.5}');
        """
    )
    table = room.table("t")
    assert table.schema.types == [
        pa.decimal128(12, 3),
        pa.list_(pa.decimal128(5, 1)),
        pa.list_(pa.int32()),
        pa.list_(pa.decimal128(12, 3)),
    ]
    assert table.to_pylist() == [{"a": Decimal("1.500"), "b": [Decimal("2.5")], "c": [1], "d": [Decimal("3.500")]}]
    assert room.columns("t")["a"].native_type == "cheap"
    assert room.columns("t")["a"].not_null


# -- arrays -------------------------------------------------------------------


@pytest.fixture
def lists(room: Any) -> Any:
    room.run_sql(
        """
        CREATE TABLE t07 (id int, a int[], s text[]);
        INSERT INTO t07 VALUES (1,'{1,NULL,3}','{"a, b",NULL,""}'),
            (2,'{{1,2},{3,4}}','{}'),(3,'[3:4]={7,8}','{"null"}'),(4,NULL,NULL);
        """
    )
    return room


def test_arrays_are_lists_with_their_nulls(lists: Any) -> None:
    assert lists.column("SELECT s FROM t07 ORDER BY id", "s") == [["a, b", None, ""], [], ["null"], None]
    assert lists.column("SELECT a FROM t07 WHERE id IN (1, 4) ORDER BY id", "a") == [[1, None, 3], None]


@pytest.mark.parametrize(("row", "shape"), [(2, "[1:2][1:2]"), (3, "[3:4]")])
def test_an_array_that_is_no_list_is_refused_with_its_place(lists: Any, row: int, shape: str) -> None:
    lists.run_sql(f"DELETE FROM t07 WHERE id NOT IN ({row}, 1)")
    error = refused(lists, "t07")
    assert error.place is not None
    assert (error.place.relation, error.place.field, error.place.value) == ("t07", "a", shape)


def test_arrays_that_are_no_lists_become_null_and_are_counted(lists: Any) -> None:
    batches = lists.batches("SELECT * FROM t07 ORDER BY id", on_invalid="null")
    assert batches[0].nulled == (("a", 2),)
    assert batches[0].data.column("a").to_pylist() == [[1, None, 3], None, None, None]


def test_arrays_of_any_shape_can_be_had_as_json_or_text(lists: Any) -> None:
    everything = "SELECT * FROM t07 ORDER BY id"
    assert lists.column(everything, "a", types={"a": "json"}) == ["[1, null, 3]", "[[1, 2], [3, 4]]", "[7, 8]", None]
    texts = ["{1,NULL,3}", "{{1,2},{3,4}}", "[3:4]={7,8}", None]
    assert lists.column(everything, "a", types={"a": "text"}) == texts
    assert lists.column(everything, "a", on_invalid="text") == texts


@pytest.mark.parametrize(
    ("native", "value", "delivered"),
    [
        ("bool[]", "{t,f,NULL}", [True, False, None]),
        ("float8[]", "{0.1,NaN}", [0.1, float("nan")]),
        ("oid[]", "{4294967295}", [4294967295]),
        ("char(2)[]", "{a}", ["a "]),
        ("jsonb[]", '{"{\\"a\\":1}",NULL}', ['{"a": 1}', None]),
        ("numeric[]", "{1.50,NULL,NaN}", ["1.50", None, "NaN"]),
        ("bytea[]", '{"\\\\x00ff"}', [b"\x00\xff"]),
    ],
)
def test_arrays_of_every_simple_type_are_lists(room: Any, native: str, value: str, delivered: list[Any]) -> None:
    room.run_sql(f"CREATE TABLE t (a {native}); INSERT INTO t VALUES ('{value}')")
    assert repr(room.column("t", "a")) == repr([delivered])


def test_the_elements_of_an_array_follow_the_policy(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (id int, d date[], n numeric(4,1)[]);
        INSERT INTO t VALUES (1,'{2024-02-29,infinity}','{1.5,NaN}'),(2,'{}',NULL)
        """
    )
    error = refused(room, "SELECT id, d FROM t")
    assert error.place is not None
    assert error.place.value == "infinity"
    batches = room.batches("t", on_invalid="null")
    assert dict(batches[0].nulled) == {"d": 1, "n": 1}
    assert batches[0].data.column("n").to_pylist() == [[Decimal("1.5"), None], None]


CASTS = """
CREATE TYPE em AS ENUM ('a', 'it''s', 'b, "c\\', '', 'null');
CREATE DOMAIN dom_em AS em; CREATE DOMAIN dom_int AS int; CREATE DOMAIN dom_num AS numeric;
CREATE DOMAIN dom_mon AS money;
CREATE TYPE comp AS (a int, b text); CREATE TYPE span AS RANGE (subtype = float8);
CREATE FUNCTION cast1(em) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE FUNCTION cast2(em[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY['cast!'] $$;
CREATE FUNCTION cast3(dom_int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[-1] $$;
CREATE FUNCTION cast4(dom_num[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY['cast!'] $$;
CREATE FUNCTION cast5(dom_mon[]) RETURNS numeric[] LANGUAGE sql IMMUTABLE AS $$ SELECT ARRAY[-1::numeric] $$;
CREATE FUNCTION cast6(comp) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE FUNCTION cast7(comp[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE FUNCTION cast8(span) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE FUNCTION cast9(span[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE FUNCTION cast0(em[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'cast!'::text $$;
CREATE CAST (em AS text) WITH FUNCTION cast1(em) AS IMPLICIT;
CREATE CAST (em[] AS text[]) WITH FUNCTION cast2(em[]);
CREATE CAST (em[] AS text) WITH FUNCTION cast0(em[]);
CREATE CAST (dom_int[] AS int[]) WITH FUNCTION cast3(dom_int[]) AS IMPLICIT;
CREATE CAST (dom_num[] AS text[]) WITH FUNCTION cast4(dom_num[]);
CREATE CAST (dom_mon[] AS numeric[]) WITH FUNCTION cast5(dom_mon[]);
CREATE CAST (comp AS text) WITH FUNCTION cast6(comp);
CREATE CAST (comp[] AS text) WITH FUNCTION cast7(comp[]);
CREATE CAST (span AS text) WITH FUNCTION cast8(span);
CREATE CAST (span[] AS text) WITH FUNCTION cast9(span[]);
CREATE TABLE casts (
    id int, e em, ea em[], de dom_em, dea dom_em[], di dom_int[], dn dom_num[], dm dom_mon[], c comp, ca comp[], s span,
    sa span[]
);
INSERT INTO casts SELECT 1, 'a', array_append(enum_range(NULL::em), NULL), 'b, "c\\', '{a,NULL}', '{1,NULL}',
    '{1.50,NaN}', '{2.5}',
    '(1,"a,b")', ARRAY['(1,"a,b")'::comp], '[1,2]', '{"[1,2]",NULL}';
INSERT INTO casts VALUES (2);
"""


@pytest.mark.parametrize("relation", ["casts", "SELECT * FROM casts"])
def test_no_cast_of_a_user_changes_a_value(room: Any, relation: str) -> None:
    room.run_sql(CASTS)
    expected = {
        "id": 1, "e": "a", "ea": ["a", "it's", 'b, "c\\', "", "null", None], "de": 'b, "c\\', "dea": ["a", None],
        "di": [1, None], "dn": ["1.50", "NaN"], "dm": [Decimal("2.50")], "c": '(1,"a,b")',
        "ca": '{"(1,\\"a,b\\")"}', "s": "[1,2]", "sa": '{"[1,2]",NULL}',
    }  # fmt: skip
    for policy in ("fail", "null"):
        rows = sorted(room.table(relation, on_invalid=policy).to_pylist(), key=lambda row: row["id"])
        assert rows == [expected, dict.fromkeys(expected) | {"id": 2}]
    as_text = room.table(relation, types={name: "text" for name in expected if name != "id"}).to_pylist()
    assert "cast!" not in str(as_text)
    assert "cast!" not in str(room.table(relation, on_invalid="text").to_pylist())


def test_a_null_in_an_array_is_none_whatever_the_role_is_set_to(room: Any) -> None:
    room.run_sql(
        """
        CREATE TYPE mood AS ENUM ('sad', 'glad');
        CREATE FUNCTION shown(mood) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'shown'::text $$;
        CREATE CAST (mood AS text) WITH FUNCTION shown(mood) AS IMPLICIT;
        CREATE TABLE moods AS SELECT ARRAY['sad', NULL]::mood[] AS a;
        """
    )
    url = room.url.replace("options=", "options=-c%20array_nulls%3Doff%20")
    with closing(room.source_of(url)) as source:
        columns = source.describe(Table("moods"), ColumnRules()).columns
        with source.read(ReadRequest(relation=Table("moods"), columns=columns), ReadContext()) as batches:
            assert [batch.data["a"].to_pylist() for batch in batches] == [[["sad", None]]]


def test_no_cast_of_a_user_changes_a_position(room: Any) -> None:
    room.run_sql(f"{CASTS} DELETE FROM casts WHERE id = 2")
    batches = room.batches("casts", order=(ColumnKey("e"),), limit=1)
    assert batches[0].mark.value == "a"
    assert room.own.bounds(Table("casts"), "e").high.value == "a"


# -- overrides ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("native", "value", "word", "arrow", "delivered"),
    [
        ("int", "7", "bigint", pa.int64(), 7),
        ("bigint", "7", "smallint", pa.int16(), 7),
        ("bool", "'t'", "int", pa.int32(), 1),
        ("oid", "7", "smallint", pa.int16(), 7),
        ("text", "' 1.5 '", "decimal(9,2)", pa.decimal128(9, 2), Decimal("1.50")),
        ("int", "7", "DECIMAL(9, 2)", pa.decimal128(9, 2), Decimal("7.00")),
        ("money", "1.5", "decimal(10,2)", pa.decimal128(10, 2), Decimal("1.50")),
        ("real", "1.5", "double", pa.float64(), 1.5),
        ("inet", "'10.0.0.1'", "text", pa.string(), "10.0.0.1"),
        ("char(3)", "'a'", "text", pa.string(), "a  "),
        ("text", "'é'", "binary", pa.binary(), "é".encode()),
        ("text", "'{\"a\" :1}'", "json", pa.json_(), '{"a" :1}'),
        ("int4range", "'[1,5)'", "json", pa.json_(), '"[1,5)"'),
        ("text", "'123e4567-e89b-12d3-a456-426614174000'", "uuid", pa.uuid(), "123e4567-e89b-12d3-a456-426614174000"),
        ("date", "'2024-02-29'", "timestamp", pa.timestamp("us"), 1_709_164_800_000_000),
        ("timestamptz", "'2024-02-29 00:00+03'", "timestamp", pa.timestamp("us"), 1_709_154_000_000_000),
        ("timestamp", "'2024-02-29'", "timestamp_tz_ns", pa.timestamp("ns", "UTC"), 1_709_164_800_000_000_000),
        ("timestamp", "'2024-02-29 23:00'", "date", pa.date32(), 19_782),
    ],
)
def test_an_override_delivers_its_type(
    room: Any, native: str, value: str, word: str, arrow: pa.DataType, delivered: Any
) -> None:
    room.run_sql(f"CREATE TABLE t (a {native}); INSERT INTO t VALUES ({value}), (NULL)")
    assert room.columns("t", ColumnRules(types=(("a", word),)))["a"].field.type == arrow
    found = room.column("t", "a", types={"a": word})
    assert [cell if not hasattr(cell, "hex") or isinstance(cell, bytes | float) else str(cell) for cell in found] == [
        delivered,
        None,
    ]


@pytest.mark.parametrize(
    ("native", "word"),
    [
        ("text", "int"),
        ("float8", "decimal(10,2)"),
        ("numeric(10,2)", "bigint"),
        ("int", "bool"),
        ("int", "uuid"),
        ("text", "date"),
        ("int", "decimal(77,0)"),
        ("int", "decimal(2,3)"),
    ],
)
def test_an_override_that_would_lose_something_unseen_is_refused(room: Any, native: str, word: str) -> None:
    room.run_sql(f"CREATE TABLE t (a {native}, b {native})")
    with pytest.raises(RivetError) as caught:
        room.columns("t", ColumnRules(types=(("a", word), ("b", word))))
    assert caught.value.code == "RIVET_TYPE_UNSAFE_MAPPING"
    assert "a (" in str(caught.value)
    assert "b (" in str(caught.value)


def test_a_lossy_override_says_that_it_is(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a numeric, b timestamp)")
    columns = room.columns("t", ColumnRules(types=(("a", "double"), ("b", "date"))))
    assert [column.fidelity for column in columns.values()] == [Fidelity.LOSSY, Fidelity.LOSSY]


@pytest.mark.parametrize(
    ("native", "value", "word", "message"),
    [
        ("bigint", "70000", "smallint", "out of range"),
        ("oid", "4294967295", "int", "out of range"),
        ("text", "''", "decimal(9,2)", "invalid input syntax for type numeric"),
        ("text", "'1.234'", "decimal(9,2)", "does not fit"),
        ("text", "'12345678.9'", "decimal(9,2)", "does not fit"),
        ("text", "'NaN'", "decimal(9,2)", "does not fit"),
    ],
)
def test_a_value_that_an_override_cannot_hold_ends_the_read(
    room: Any, native: str, value: str, word: str, message: str
) -> None:
    room.run_sql(f"CREATE TABLE t (a {native}); INSERT INTO t VALUES ({value})")
    with pytest.raises(RivetError, match=message):
        room.batches("t", types={"a": word})


POLICIES = """
CREATE TABLE t (i4 int, i8 bigint, o oid, tx text, n numeric, f8 float8, day date, ts timestamp, s smallint);
INSERT INTO t VALUES
    (1, 2, 3, '123e4567-e89b-12d3-a456-426614174000', 1, 1, '2024-02-29', '2024-02-29', 1),
    (70000, 3000000000, 4294967295, 'zz', 1, 1, '5874897-12-31', 'infinity', 1),
    (NULL, NULL, NULL, NULL, 1, 1, NULL, NULL, 1);
"""


@pytest.mark.parametrize(
    ("column", "word", "good"),
    [
        ("i4", "smallint", 1),
        ("i8", "int", 2),
        ("i8", "smallint", 2),
        ("o", "int", 3),
        ("o", "smallint", 3),
        ("day", "timestamp", 1_709_164_800_000_000),
        ("day", "timestamp_tz", 1_709_164_800_000_000),
        ("ts", "date", 19_782),
        ("ts", "timestamp_ns", 1_709_164_800_000_000_000),
    ],
)
def test_what_an_override_cannot_hold_becomes_null_and_is_counted(room: Any, column: str, word: str, good: int) -> None:
    room.run_sql(POLICIES)
    rules = {"types": {column: word}, "on_invalid": "null"}
    assert room.column("t", column, **rules) == [good, None, None]
    assert [dict(batch.nulled)[column] for batch in room.batches("t", **rules)] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "123e4567-e89b-12d3-a456-426614174000",
        "{123E4567-e89b-12d3-a456-426614174000}",
        "123e4567e89b12d3a456426614174000",
        "123e-4567-e89b-12d3-a456-4266-1417-4000",
    ],
)
def test_a_text_that_the_server_takes_for_a_uuid_is_one(room: Any, text: str) -> None:
    room.run_sql(f"CREATE TABLE t (u text, c char(45)); INSERT INTO t VALUES ('{text}', '{text}')")
    for policy in ("null", "fail"):
        rows = room.table("t", types={"u": "uuid", "c": "uuid"}, on_invalid=policy).to_pylist()
        assert {str(value) for value in rows[0].values()} == {"123e4567-e89b-12d3-a456-426614174000"}


@pytest.mark.parametrize(
    "text", ["zz", "", "{123e4567-e89b-12d3-a456-426614174000", "1-23e4567e89b12d3a456426614174000"]
)
def test_a_text_that_is_no_uuid_becomes_null_where_that_is_wished(room: Any, text: str) -> None:
    room.run_sql(f"CREATE TABLE t (u text); INSERT INTO t VALUES ('{text}')")
    assert room.column("t", "u", types={"u": "uuid"}, on_invalid="null") == [None]
    assert refused(room, "t", types={"u": "uuid"}).place.field == "u"  # type: ignore[union-attr]


def test_a_text_that_is_no_number_becomes_null_where_that_is_wished(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (id int, d text); INSERT INTO t SELECT row_number() OVER (), d FROM unnest(ARRAY[
            ' 1.5', '+1', '-.5', '1.', '1e1', '15E-1', E'\\t2\\n', 'zz', '', '1 2', 'NaN', '1e', '--1', '1e-99',
            '9999999', '1e99999999']) d
        """
    )
    numbers = ["1.50", "1.00", "-0.50", "1.00", "10.00", "1.50", "2.00"]
    found = room.column("SELECT * FROM t ORDER BY id", "d", types={"d": "decimal(5,2)"}, on_invalid="null")
    assert found == [*map(Decimal, numbers), *[None] * 9]


@pytest.mark.parametrize(
    ("column", "word", "value"),
    [
        ("i4", "smallint", "70000"),
        ("i8", "int", "3000000000"),
        ("tx", "uuid", "'zz'"),
        ("tx", "json", "'{'"),
        ("tx", "decimal(5,2)", "'zz'"),
        ("n", "double", "1e400"),
        ("f8", "real", "1e300"),
        ("day", "timestamp", "'5874897-12-31'"),
    ],
)
def test_a_value_that_the_server_cannot_cast_is_refused_with_its_column(
    room: Any, column: str, word: str, value: str
) -> None:
    room.run_sql(f"{POLICIES} TRUNCATE t; INSERT INTO t ({column}) VALUES ({value})")
    error = refused(room, "t", types={column: word, "s": "bigint"})
    assert error.place is not None
    assert (error.place.relation, error.place.field) == ("t", column)
    assert f"{column} as {word}" in str(error)
    assert "What to do" in str(error)
    assert error.remedy is not None
    assert "on_invalid_value" not in error.remedy


def test_of_several_casts_all_are_named(room: Any) -> None:
    room.run_sql(POLICIES)
    error = refused(room, "t", types={"i4": "smallint", "tx": "uuid"})
    assert "i4 as smallint or tx as uuid" in str(error)


@pytest.mark.parametrize(
    ("column", "word"),
    [("ts", "date"), ("i4", "bigint"), ("tx", "uuid"), ("i8", "int"), ("n", "decimal(5,2)"), ("day", "timestamp")],
)
def test_text_beside_another_type_is_refused_when_it_is_planned(room: Any, column: str, word: str) -> None:
    room.run_sql(POLICIES)
    rules = ColumnRules(types=((column, word),), on_invalid_by_column=((column, InvalidValue.TEXT),))
    for relation in ("t", "SELECT * FROM t"):
        with pytest.raises(RivetError) as caught:
            room.columns(relation, rules)
        assert caught.value.code == "RIVET_CONFIG_VALUE_INVALID"
        assert [word for word in ("columns", "on_invalid_value", column) if word not in caught.value.message] == []


def test_text_for_all_columns_is_refused_only_where_an_override_may_fail(room: Any) -> None:
    room.run_sql(POLICIES)
    safe = ColumnRules(types=(("i4", "bigint"), ("tx", "text"), ("s", "decimal(9,2)")), on_invalid=InvalidValue.TEXT)
    assert room.columns("t", safe)["i4"].field.type == pa.int64()
    with pytest.raises(RivetError, match="on_invalid_value"):
        room.columns("t", ColumnRules(types=(("i8", "int"),), on_invalid=InvalidValue.TEXT))


@pytest.mark.parametrize(("column", "word"), [("tx", "json"), ("n", "double"), ("f8", "real")])
def test_null_that_nobody_can_give_is_refused_when_it_is_planned(room: Any, column: str, word: str) -> None:
    room.run_sql(POLICIES)
    rules = ColumnRules(types=((column, word),), on_invalid_by_column=((column, InvalidValue.NULL),))
    with pytest.raises(RivetError, match="on_invalid_value") as caught:
        room.columns("t", rules)
    assert caught.value.code == "RIVET_CONFIG_VALUE_INVALID"
    # Said of all columns it is about the others.
    assert room.columns("t", ColumnRules(types=((column, word),), on_invalid=InvalidValue.NULL))
