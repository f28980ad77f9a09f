from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from rivet_core.testing import Filled, Sample, SourceContract, Typed
from rivet_core.types import Query, Relation, Secret, Table
from rivet_source_postgres.options import PostgresOptions
from rivet_source_postgres.plugin import rivet_sources

NATIVE = {pa.int64(): "bigint", pa.float64(): "double precision", pa.string(): "text", pa.binary(): "bytea"}
WRONG = "not the password ':/@"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value) if not isinstance(value, int) else f"'{value}'::int8"


class TestPostgres(SourceContract):
    declaration = rivet_sources()[0]

    @pytest.fixture
    def options(self, room: Any) -> PostgresOptions:
        return room.options()

    @pytest.fixture
    def wrong_options(self, room: Any) -> PostgresOptions:
        before, _, host = room.url.partition("@")
        user = before.rpartition(":")[0]
        return PostgresOptions(url=Secret(f"{user}:{WRONG}@{host}"))

    @pytest.fixture
    def secrets(self, room: Any) -> tuple[str, ...]:
        return (WRONG, room.url.partition("@")[0].rpartition(":")[2])

    @pytest.fixture
    def fill(self, room: Any) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            table = f"{quoted(room.schema)}.{quoted(sample.name)}"
            columns = [f"{quoted(field.name)} {NATIVE[field.type]}" for field in sample.rows.schema]
            if sample.key:
                columns.append(f"PRIMARY KEY ({', '.join(quoted(name) for name in sample.key)})")
            room.run_sql(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({', '.join(columns)})")
            relation = Table(sample.name, room.schema)
            append(room, relation, sample.rows)
            # Without statistics there is no estimate.
            room.run_sql(f"ANALYZE {table}")
            return Filled(relation=relation, rows=sample.rows, key=sample.key)

        return fill

    @pytest.fixture
    def insert(self, room: Any) -> Callable[[Relation, pa.Table], None]:
        return lambda relation, rows: append(room, relation, rows)

    @pytest.fixture
    def query(self, room: Any) -> Callable[[Relation], Query]:
        return lambda relation: Query(f"SELECT * FROM {quoted(room.schema)}.{quoted(relation.name)}; -- all of it")

    @pytest.fixture
    def kill(self, room: Any) -> Callable[[], None]:
        query = f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{room.database}'"
        return lambda: room.psql_text(f"{query} AND application_name = 'rivet'")

    @pytest.fixture
    def endless(self, room: Any) -> Relation:
        room.run_sql("CREATE VIEW endless AS SELECT pg_sleep(600)::text AS nothing")
        return Table("endless", room.schema)

    @pytest.fixture
    def typed(self, room: Any) -> Typed:
        room.run_sql(
            """
            CREATE TYPE mood AS ENUM ('sad', 'glad');
            CREATE DOMAIN price AS numeric(12,3);
            CREATE TABLE typed (
                flag bool, small smallint, mid int, big bigint, o oid, r real, d double precision, n numeric(10,4),
                wide numeric(60,2), bare numeric, m money, t text, v varchar(9), c char(4), nm name, b bytea, day date,
                tm time, ts timestamp, tz timestamptz, j json, jb jsonb, u uuid, e mood, p price, iv interval,
                bits bit(3), ip inet, span int4range, list int[], words text[], amounts numeric(5,2)[], moods mood[]
            );
            INSERT INTO typed VALUES (
                true, -32768, -2147483648, -9223372036854775808, 4294967295, 1.5, 0.1, -0.0001,
                12345678901234567890.10, 1e-20, 1000.01, 'it''s', 'é', 'ab', 'nm', '\\x00ff', '2024-02-29',
                '23:59:59.999999', '2024-02-29 00:00:00.000001', '2024-02-29 00:00+03', '{"a" : 1}', '{"b":2}',
                '123e4567-e89b-12d3-a456-426614174000', 'glad', 0.125, '1 year 2 months 3 days 04:05:06.7',
                B'101', '10.0.0.1/24', '[1,5)', '{1,NULL,3}', '{"a, b",NULL,""}', '{1.10,NULL}', '{sad,glad}'
            );
            INSERT INTO typed DEFAULT VALUES;
            """
        )
        item = lambda kind: pa.list_(pa.field("item", kind))  # noqa: E731
        values: list[tuple[str, Any, Any]] = [
            ("flag", pa.bool_(), True),
            ("small", pa.int16(), -(2**15)),
            ("mid", pa.int32(), -(2**31)),
            ("big", pa.int64(), -(2**63)),
            ("o", pa.int64(), 2**32 - 1),
            ("r", pa.float32(), 1.5),
            ("d", pa.float64(), 0.1),
            ("n", pa.decimal128(10, 4), Decimal("-0.0001")),
            ("wide", pa.decimal256(60, 2), Decimal("12345678901234567890.10")),
            ("bare", pa.string(), "0.00000000000000000001"),
            ("m", pa.decimal128(19, 2), Decimal("1000.01")),
            ("t", pa.string(), "it's"),
            ("v", pa.string(), "é"),
            ("c", pa.string(), "ab  "),
            ("nm", pa.string(), "nm"),
            ("b", pa.binary(), b"\x00\xff"),
            ("day", pa.date32(), 19782),
            ("tm", pa.time64("us"), 86_399_999_999),
            ("ts", pa.timestamp("us"), 1_709_164_800_000_001),
            ("tz", pa.timestamp("us", "UTC"), 1_709_154_000_000_000),
            ("j", pa.json_(), '{"a" : 1}'),
            ("jb", pa.json_(), '{"b": 2}'),
            ("u", pa.uuid(), UUID("123e4567-e89b-12d3-a456-426614174000").bytes),
            ("e", pa.string(), "glad"),
            ("p", pa.decimal128(12, 3), Decimal("0.125")),
            ("iv", pa.string(), "P1Y2M3DT4H5M6.700000S"),
            ("bits", pa.string(), "101"),
            ("ip", pa.string(), "10.0.0.1/24"),
            ("span", pa.string(), "[1,5)"),
            ("list", item(pa.int32()), [1, None, 3]),
            ("words", item(pa.string()), ["a, b", None, ""]),
            ("amounts", item(pa.decimal128(5, 2)), [Decimal("1.10"), None]),
            ("moods", item(pa.string()), ["sad", "glad"]),
        ]
        expected = pa.table({name: array_of(value, kind) for name, kind, value in values})
        return Typed(relation=Table("typed", room.schema), expected=expected)


def array_of(value: Any, kind: pa.DataType) -> pa.Array:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array([value, None], kind.storage_type))
    return pa.array([value, None], kind)


def append(room: Any, relation: Relation, rows: pa.Table) -> None:
    if rows.num_rows:
        lines = [f"({', '.join(literal(value) for value in row.values())})" for row in rows.to_pylist()]
        room.run_sql(f"INSERT INTO {quoted(room.schema)}.{quoted(relation.name)} VALUES {', '.join(lines)}")
