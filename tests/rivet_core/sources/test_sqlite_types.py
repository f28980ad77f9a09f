"""Declared types and the values behind them: exact, refused by name, NULL and counted, or text; never bent."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rivet_core.errors import RefusalError, UsageError
from rivet_core.sources.sqlite.types import JSON, UUID, mapping
from rivet_core.types import ColumnRules, Fidelity, InvalidValue, Query, Table

if TYPE_CHECKING:
    from conftest import Database

NULLS = ColumnRules(on_invalid=InvalidValue.NULL)
TEXTS = ColumnRules(on_invalid=InvalidValue.TEXT)
per_test_database = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.mark.parametrize(
    ("declared", "arrow", "fidelity"),
    [
        ("INTEGER", pa.int64(), Fidelity.EXACT),
        ("bigint unsigned", pa.int64(), Fidelity.EXACT),
        ("TINYINT(1)", pa.int64(), Fidelity.EXACT),
        ("VARCHAR(255)", pa.utf8(), Fidelity.EXACT),
        ("nchar varying", pa.utf8(), Fidelity.EXACT),
        ("CLOB", pa.utf8(), Fidelity.EXACT),
        ("BLOB", pa.binary(), Fidelity.EXACT),
        ("double precision", pa.float64(), Fidelity.EXACT),
        ("FLOAT", pa.float64(), Fidelity.EXACT),
        ("Boolean", pa.bool_(), Fidelity.EXACT),
        ("DATE", pa.date32(), Fidelity.EXACT),
        ("TIME", pa.time64("us"), Fidelity.EXACT),
        ("DATETIME", pa.timestamp("us"), Fidelity.EXACT),
        ("timestamp(6)", pa.timestamp("us"), Fidelity.EXACT),
        ("TIMESTAMP  WITH TIME ZONE", pa.timestamp("us", "UTC"), Fidelity.EXACT),
        ("timestamp(3) with time zone", pa.timestamp("us", "UTC"), Fidelity.EXACT),
        ("DECIMAL(10,2)", pa.decimal128(10, 2), Fidelity.EXACT),
        ("numeric( 38 , 10 )", pa.decimal128(38, 10), Fidelity.EXACT),
        ("DECIMAL(65,30)", pa.decimal256(65, 30), Fidelity.EXACT),
        ("DECIMAL(5)", pa.decimal128(5, 0), Fidelity.EXACT),
        ("NUMERIC", pa.utf8(), Fidelity.TEXT),
        ("DECIMAL(99,2)", pa.utf8(), Fidelity.TEXT),
        ("uuid", UUID, Fidelity.EXACT),
        ("JSON", JSON, Fidelity.EXACT),
        ("ANY", pa.utf8(), Fidelity.TEXT),
        ("", pa.utf8(), Fidelity.TEXT),
        ("MONEY", pa.utf8(), Fidelity.TEXT),
    ],
)
def test_a_declared_type_becomes_its_arrow_type(declared: str, arrow: pa.DataType, fidelity: Fidelity) -> None:
    found = mapping(declared)
    assert (found.type, found.fidelity) == (arrow, fidelity)


@pytest.mark.parametrize(
    ("declared", "stored", "arrives"),
    [
        ("INTEGER", -(2**63), -(2**63)),
        ("INTEGER", 2**63 - 1, 2**63 - 1),
        ("REAL", 5e-324, 5e-324),
        ("REAL", math.inf, math.inf),
        ("REAL", 2**53, float(2**53)),
        ("TEXT", "nul\0inside, é, 😀", "nul\0inside, é, 😀"),
        ("BLOB", b"\0\xff", b"\0\xff"),
        ("BLOB", b"", b""),
        ("BOOLEAN", 1, True),
        ("DATE", "0001-01-01", dt.date(1, 1, 1)),
        ("DATE", "2024-02-29", dt.date(2024, 2, 29)),
        ("TIME", "23:59:59.999999", dt.time(23, 59, 59, 999999)),
        ("TIME", "07:05", dt.time(7, 5)),
        ("DATETIME", "2024-02-29", dt.datetime.fromisoformat("2024-02-29")),
        ("DATETIME", "9999-12-31T23:59:59.999999", dt.datetime.fromisoformat("9999-12-31T23:59:59.999999")),
        ("TIMESTAMPTZ", "2024-01-01 01:00:00+02:00", dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC)),
        ("DECIMAL(18,2)", "9999999999999.99", Decimal("9999999999999.99")),
        ("DECIMAL(10,2)", 12, Decimal("12.00")),
        ("DECIMAL(10,2)", 0.1, Decimal("0.10")),
        ("DECIMAL(38,10)", 2**63 - 1, Decimal("9223372036854775807.0000000000")),
        ("DECIMAL(65,30)", "-1.5", Decimal("-1.500000000000000000000000000000")),
        ("NUMERIC", 1e20, "1e+20"),
        ("UUID", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", uuid.UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")),
        ("UUID", bytes(range(16)), uuid.UUID(bytes=bytes(range(16)))),
        ("JSON", '{"a": [1]}', '{"a": [1]}'),
        ("JSON", "1.50", "1.5"),
        ("", b"\0\xff", "00ff"),
        ("", 1e-7, "1e-7"),
        ("", "text", "text"),
    ],
)
def test_a_value_that_keeps_its_promise_arrives_exactly(
    database: Database, declared: str, stored: Any, arrives: Any
) -> None:
    assert database.column([stored, None], declared) == [arrives, None]


MISFITS = [
    ("INTEGER", "abc", "abc"),
    ("INTEGER", 1.5, "1.5"),
    ("BIGINT UNSIGNED", "18446744073709551615", "1.8446744073709552e+19"),
    ("INTEGER", b"\x01", "01"),
    ("REAL", "abc", "abc"),
    ("TEXT", b"\x01", "01"),
    ("BLOB", "abc", "abc"),
    ("BOOLEAN", 2, "2"),
    ("BOOLEAN", "true", "true"),
    ("DATE", "2024-02-30", "2024-02-30"),
    ("DATE", "0000-00-00", "0000-00-00"),
    ("DATE", "2024-01-01 00:00:00", "2024-01-01 00:00:00"),
    ("DATE", 1_700_000_000, "1700000000"),
    ("DATETIME", "2024-01-01 00:00:00Z", "2024-01-01 00:00:00Z"),
    ("DATETIME", "", ""),
    ("TIMESTAMPTZ", "2024-01-01 00:00:00", "2024-01-01 00:00:00"),
    ("TIME", "24:00:00", "24:00:00"),
    ("DECIMAL(10,2)", 1.005, "1.005"),
    ("DECIMAL(10,2)", 10**8, "100000000"),
    ("DECIMAL(20,17)", "0.30000000000000004", "0.30000000000000004"),
    ("DECIMAL(20,0)", 1e19, "1e+19"),
    ("DECIMAL(10,2)", "n/a", "n/a"),
    ("DECIMAL(10,2)", math.inf, "inf"),
    ("UUID", "6ba7b810", "6ba7b810"),
    ("UUID", b"\0", "00"),
    ("JSON", b"{}", "7b7d"),
]


@pytest.mark.parametrize(("declared", "stored", "text"), MISFITS)
def test_a_value_that_breaks_its_promise_is_refused_by_name(
    database: Database, declared: str, stored: Any, text: str
) -> None:
    with pytest.raises(RefusalError) as caught:
        database.column([None, stored], declared)
    place = caught.value.place
    assert place is not None
    assert (caught.value.code, place.relation, place.field) == ("RIVET_SOURCE_VALUE_UNREPRESENTABLE", "t", "c")
    assert text in str(place.value)


@pytest.mark.parametrize(("declared", "stored", "text"), MISFITS)
def test_a_value_that_breaks_its_promise_becomes_null_and_is_counted(
    database: Database, declared: str, stored: Any, text: str
) -> None:
    del text
    database.column([None, stored, stored], declared, NULLS)
    batches = database.batches(Table("t"), NULLS)
    assert [batch.nulled for batch in batches] == [(("c", 2),)]
    assert [batch.data.column(0).to_pylist() for batch in batches] == [[None, None, None]]


@pytest.mark.parametrize(("declared", "stored", "text"), MISFITS)
def test_a_value_that_breaks_its_promise_arrives_as_exact_text(
    database: Database, declared: str, stored: Any, text: str
) -> None:
    assert database.column([stored], declared, TEXTS) == [text]


def test_exactly_the_days_of_the_calendar_are_dates(database: Database) -> None:
    texts = [f"{year}-{month:02}-{day:02}" for year in (1900, 2000, 2023) for month in range(14) for day in range(33)]

    def day(text: str) -> dt.date | None:
        try:
            return dt.date.fromisoformat(text)
        except ValueError:
            return None

    assert database.column(texts, "DATE", NULLS) == [day(text) for text in texts]


#: Text that is nearly a number, a date, a time or a UUID, so that both sides of each rule are met.
nearly = (
    st.from_regex(r"-?[0-9]{1,14}(\.[0-9]{0,4})?", fullmatch=True)
    | st.from_regex(r"(20|00)[0-9][1-9]-[01][0-9]-[0-3][0-9]", fullmatch=True)
    | st.from_regex(
        r"2024-0[12]-[23][0-9][ T][0-2][0-9](:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?)?"
        r"(Z|[+-][0-2][0-9](:?[0-6][0-9])?)?",
        fullmatch=True,
    )
    | st.from_regex(r"[0-2][0-9](:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?)?", fullmatch=True)
    | st.from_regex(r"[0-9a-fA-F]{8}-?[0-9a-f]{4}-[0-9a-f]{4}-?[0-9a-f]{4}-[0-9a-g]{12}", fullmatch=True)
    | st.from_regex(r"[0-9a-f]{31,33}", fullmatch=True)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)
)
stored_values = (
    nearly
    | st.integers(-(2**63), 2**63 - 1)
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.decimals(-(10**6), 10**6, places=2).map(float)
    | st.binary(max_size=2)
    | st.binary(min_size=16, max_size=16)
)
declarations = st.sampled_from(
    (
        "INTEGER", "REAL", "TEXT", "BLOB", "BOOLEAN", "DATE", "TIME", "DATETIME", "TIMESTAMPTZ", "DECIMAL(10,2)",
        "DECIMAL(18,4)", "DECIMAL(38,20)", "DECIMAL(3,3)", "DECIMAL(60,5)", "UUID", "JSON",
    )
)  # fmt: skip


@per_test_database
@given(value=stored_values, declared=declarations)
@example(value="2024-01-01 10:00+23:59", declared="TIMESTAMPTZ")
@example(value="2024-01-01 10+24", declared="TIMESTAMPTZ")
@example(value="2024-01-01", declared="TIMESTAMPTZ")
@example(value=-(2**63), declared="DECIMAL(38,20)")
def test_null_is_delivered_for_exactly_the_values_that_are_refused_otherwise(
    database: Database, value: Any, declared: str
) -> None:
    try:
        (arrived,) = database.column([value], declared)
    except RefusalError:
        arrived = None
    assert database.column([value], declared, NULLS) == [arrived]


@per_test_database
@given(
    value=st.decimals(min_value=Decimal("-9999999999999.99"), max_value=Decimal("9999999999999.99"), places=2),
    as_real=st.booleans(),
)
def test_every_decimal_of_fifteen_digits_survives_sqlite(
    database: Database,
    value: Decimal,
    as_real: bool,  # noqa: FBT001 - drawn
) -> None:
    stored = float(value) if as_real else str(value)
    assert database.column([stored], "DECIMAL(15,2)") == [value]


@per_test_database
@given(values=st.lists(st.floats(allow_nan=False) | st.integers(-(2**63), 2**63 - 1), max_size=5))
def test_exact_text_reads_back_as_the_same_number(database: Database, values: list[float | int]) -> None:
    texts = database.column(values, "")
    back = [type(value)(text) for value, text in zip(values, texts, strict=True)]
    assert [(value, math.copysign(1, value)) for value in back] == [
        (value, math.copysign(1, value)) for value in values
    ]


@per_test_database
@given(
    values=st.lists(
        st.none() | st.integers(-9, 9) | st.floats(-9, 9) | st.text("ab", max_size=3) | st.binary(max_size=3)
    )
)
def test_mixed_storage_classes_keep_their_rows(database: Database, values: list[Any]) -> None:
    def text(value: Any) -> str | None:
        if isinstance(value, bytes):
            return value.hex()
        return None if value is None else str(value)

    def same(found: str | None, value: Any) -> bool:
        return float(found or "x") == value if isinstance(value, float) else found == text(value)

    found = database.column(values, "")
    assert len(found) == len(values)
    assert all(same(*pair) for pair in zip(found, values, strict=True))


def test_text_that_is_not_utf8_is_refused_with_its_column(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, c TEXT); INSERT INTO t VALUES (1, CAST(x'61ff' AS TEXT))")
    with pytest.raises(RefusalError) as caught:
        database.rows(Table("t"))
    assert caught.value.place is not None
    assert (caught.value.code, caught.value.place.field) == ("RIVET_SOURCE_VALUE_UNREPRESENTABLE", "c")


def test_text_that_is_not_utf8_can_be_read_as_its_bytes(database: Database) -> None:
    database.run("CREATE TABLE t (c TEXT); INSERT INTO t VALUES (CAST(x'61ff' AS TEXT))")
    assert database.rows(Table("t"), ColumnRules(types=(("c", "binary"),))) == [(b"a\xff",)]


def test_what_sqlite_itself_guards_stays_typed_under_the_policy_text(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, any ANY) STRICT; INSERT INTO t VALUES (1, 2, 1.5)")
    assert database.rows(Table("t"), TEXTS) == [(1, 2, "1.5")]


@pytest.mark.parametrize(
    ("declared", "word", "stored", "arrives"),
    [
        ("INTEGER", "decimal(20,2)", 5, Decimal("5.00")),
        ("NUMERIC", "decimal(38,9)", 1.25, Decimal("1.250000000")),
        ("TEXT", "decimal(38,9)", "12345678901234567890.5", Decimal("12345678901234567890.500000000")),
        ("INTEGER", "bool", 0, False),
        ("INTEGER", "smallint", -32768, -32768),
        ("TEXT", "timestamp_ns", "2024-01-01 00:00:00.5", dt.datetime.fromisoformat("2024-01-01T00:00:00.500000")),
        ("TEXT", "json", "{}", "{}"),
        ("DATETIME", "bigint", 1_700_000_000, 1_700_000_000),
        ("REAL", "text", 0.1, "0.1"),
        ("", "bigint", 7, 7),
    ],
)
def test_an_override_is_delivered(database: Database, declared: str, word: str, stored: Any, arrives: Any) -> None:
    assert database.column([stored], declared, ColumnRules(types=(("c", word),))) == [arrives]


@pytest.mark.parametrize(
    ("declared", "word"), [("TEXT", "bigint"), ("INTEGER", "timestamp"), ("TEXT", "interval"), ("BLOB", "date")]
)
def test_an_override_that_cannot_be_delivered_is_refused(database: Database, declared: str, word: str) -> None:
    with pytest.raises(UsageError) as caught:
        database.column([], declared, ColumnRules(types=(("c", word),)))
    assert caught.value.code == "RIVET_TYPE_UNSAFE_MAPPING"


@pytest.mark.parametrize("value", [40_000, -40_000])
def test_a_value_beyond_a_narrower_override_is_refused(database: Database, value: int) -> None:
    with pytest.raises(RefusalError):
        database.column([value], "INTEGER", ColumnRules(types=(("c", "smallint"),)))


def test_views_and_queries_hand_declared_types_on_and_give_expressions_as_text(database: Database) -> None:
    database.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, d DATE); INSERT INTO t VALUES (1, '2024-01-01');"
        "CREATE VIEW v AS SELECT id, d AS day, id + 0.5 AS e FROM t"
    )
    expected = [(1, dt.date(2024, 1, 1), "1.5")]
    assert database.rows(Table("v")) == expected
    assert database.rows(Query("SELECT id, d AS day, id + 0.5 AS e FROM t")) == expected


def test_generated_columns_are_delivered(database: Database) -> None:
    database.run(
        "CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2), c TEXT AS (a || '!') STORED);"
        "INSERT INTO t (a) VALUES (3)"
    )
    assert database.rows(Table("t")) == [(3, 6, "3!")]


def test_names_may_hold_anything(database: Database) -> None:
    database.run(
        'CREATE TABLE "a ""b.c" ("x y" INTEGER, "q""" TEXT, "select" TEXT);'
        "INSERT INTO \"a \"\"b.c\" VALUES (1, 'a', 'b')"
    )
    (batch,) = database.batches(Table('a "b.c'))
    assert batch.data.to_pylist() == [{"x y": 1, 'q"': "a", "select": "b"}]


def test_no_rows_have_the_same_schema(database: Database) -> None:
    database.run("CREATE TABLE t (a DECIMAL(10,2), b JSON, c)")
    empty = database.source.describe(Table("t"), ColumnRules()).arrow
    database.run("INSERT INTO t VALUES (1.5, '{}', x'00')")
    (batch,) = database.batches(Table("t"))
    assert batch.data.schema == empty
