from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pyarrow as pa
import pytest
from postgres_server import PostgresDatabase

from rivet_core.testing import Filled, PackagingContract, Sample, SourceContract, Typed, installed
from rivet_core.types import Query, Relation, Secret, Table
from rivet_source_postgres.options import PostgresOptions

TYPES = {pa.int64(): "bigint", pa.float64(): "double precision", pa.string(): "text", pa.binary(): "bytea"}

TYPED = """
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE typed (
    flag boolean, small smallint, whole integer, big bigint, single real, real double precision, price numeric(18, 2),
    name varchar(20), raw bytea, day date, hour time, moment timestamp, instant timestamptz, id uuid, doc jsonb,
    span interval, place inet, feeling mood, numbers bigint[], amount money
);
INSERT INTO typed VALUES
    (true, -32768, 2147483647, -9223372036854775808, 1.5, 1.7976931348623157e308, 12.34, 'ünï', '\\x00ff',
     '2024-02-29', '23:59:59.999999', '0001-01-01 00:00:00', '2024-02-29 00:00:00.000001+03',
     '00112233-4455-6677-8899-aabbccddeeff', '{"a": [1, null]}', '1 day 02:00:00.5', '10.0.0.1/24', 'happy', '{1,NULL}',
     1000.01),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
     NULL);
"""
UTC = dt.UTC
EXPECTED: dict[str, tuple[Any, pa.DataType]] = {
    "flag": (True, pa.bool_()),
    "small": (-32768, pa.int16()),
    "whole": (2147483647, pa.int32()),
    "big": (-(2**63), pa.int64()),
    "single": (1.5, pa.float32()),
    "real": (1.7976931348623157e308, pa.float64()),
    "price": (decimal.Decimal("12.34"), pa.decimal128(18, 2)),
    "name": ("ünï", pa.string()),
    "raw": (b"\x00\xff", pa.binary()),
    "day": (dt.date(2024, 2, 29), pa.date32()),
    "hour": (dt.time(23, 59, 59, 999_999), pa.time64("us")),
    "moment": (dt.datetime(1, 1, 1), pa.timestamp("us")),  # noqa: DTZ001 - a time without a zone is tested
    "instant": (dt.datetime(2024, 2, 28, 21, 0, 0, 1, UTC), pa.timestamp("us", "UTC")),
    "id": (uuid.UUID("00112233-4455-6677-8899-aabbccddeeff").bytes, pa.uuid()),
    "doc": ('{"a": [1, null]}', pa.json_()),
    "span": ("P1DT2H0.500000S", pa.string()),
    "place": ("10.0.0.1/24", pa.string()),
    "feeling": ("happy", pa.string()),
    "numbers": ([1, None], pa.list_(pa.int64())),
    "amount": (decimal.Decimal("1000.01"), pa.decimal128(19, 2)),
}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"'\\x{value.hex()}'::bytea"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case float():
            return f"'{value!r}'::float8"
        case _:
            return str(value)


class TestPostgres(SourceContract):
    declaration = installed("source.postgres")

    @pytest.fixture
    def options(self, postgres_database: PostgresDatabase) -> PostgresOptions:
        return PostgresOptions(url=Secret(postgres_database.url), environment="local")

    @pytest.fixture
    def fill(
        self, postgres_database: PostgresDatabase, insert: Callable[[Relation, pa.Table], None]
    ) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            table = quoted(sample.name)
            columns = [f"{quoted(field.name)} {TYPES[field.type]}" for field in sample.rows.schema]
            if sample.key:
                columns.append(f"PRIMARY KEY ({', '.join(map(quoted, sample.key))})")
            postgres_database.run_sql(f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({', '.join(columns)});")
            relation = Table(sample.name)
            insert(relation, sample.rows)
            return Filled(relation=relation, rows=sample.rows, key=sample.key)

        return fill

    @pytest.fixture
    def insert(self, postgres_database: PostgresDatabase) -> Callable[[Relation, pa.Table], None]:
        def insert(relation: Relation, rows: pa.Table) -> None:
            table = quoted(str(relation))
            values = ", ".join(f"({', '.join(map(literal, row.values()))})" for row in rows.to_pylist())
            put = f"INSERT INTO {table} VALUES {values};" if values else ""
            postgres_database.run_sql(f"{put} ANALYZE {table};")

        return insert

    @pytest.fixture
    def typed(self, postgres_database: PostgresDatabase) -> Typed:
        postgres_database.run_sql(TYPED)
        columns = {}
        for name, (value, kind) in EXPECTED.items():
            storage = pa.array([value, None], getattr(kind, "storage_type", kind))
            columns[name] = pa.ExtensionArray.from_storage(kind, storage) if hasattr(kind, "storage_type") else storage
        return Typed(relation=Table("typed"), expected=pa.table(columns))

    @pytest.fixture
    def query(self) -> Callable[[Relation], Query]:
        return lambda relation: Query(f"SELECT * FROM {quoted(str(relation))}")

    @pytest.fixture
    def kill(self, postgres_database: PostgresDatabase) -> Callable[[], None]:
        return lambda: postgres_database.run_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    @pytest.fixture
    def wrong_options(self, postgres_database: PostgresDatabase) -> PostgresOptions:
        parts = urlsplit(postgres_database.url)
        wrong = parts._replace(netloc=f"{parts.username}:battery-staple@{parts.hostname}:{parts.port}")
        return PostgresOptions(url=Secret(urlunsplit(wrong)))

    @pytest.fixture
    def secrets(self, postgres_database: PostgresDatabase) -> tuple[str, ...]:
        password = urlsplit(postgres_database.url).password
        assert password
        return (password, "battery-staple")

    @pytest.fixture
    def endless(self) -> Relation:
        return Query("SELECT pg_sleep(600)::text AS slept")


class TestPostgresPackaging(PackagingContract):
    entry = "source.postgres"

    @pytest.fixture
    def options_text(self) -> str:
        return "host: localhost\nuser: me\ndatabase: shop\npassword: correct-horse"

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        return ("correct-horse",)


class TestPostgresPackagingByUrl(TestPostgresPackaging):
    @pytest.fixture
    def options_text(self) -> str:
        return "url: postgresql://me:correct-horse@localhost/shop?application_name=x"
