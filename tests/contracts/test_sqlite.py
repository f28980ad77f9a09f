from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

from rivet_core.sources.sqlite.options import SqliteOptions
from rivet_core.testing import Filled, PackagingContract, Sample, SourceContract, Typed, installed
from rivet_core.types import Query, Relation, Table

TYPES = {pa.int64(): "INTEGER", pa.float64(): "REAL", pa.string(): "TEXT", pa.binary(): "BLOB"}

TYPED = """
CREATE TABLE typed (
    flag BOOLEAN, day DATE, hour TIME, moment TIMESTAMP, instant TIMESTAMPTZ, price DECIMAL(18, 2), free NUMERIC,
    whole BIGINT, name VARCHAR(20), raw BLOB, real DOUBLE
);
INSERT INTO typed VALUES
    (1, '2024-02-29', '23:59:59.999999', '0001-01-01 00:00:00', '2024-02-29T00:00:00.000001+03:00', 12.34, '1e-20',
     9223372036854775807, 'ünï', x'00ff', 0.1),
    (0, '0001-01-01', '00:00', '9999-12-31T23:59:59.999999', '1970-01-01 00:00:00Z', -1, 7,
     -9223372036854775808, '', x'', -1.7976931348623157e308),
    (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
"""


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class TestSqlite(SourceContract):
    declaration = installed("source.sqlite")

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "kit.db"
        with closing(sqlite3.connect(path)) as connection:
            # A reader of a database in the older journal modes keeps its writers waiting.
            connection.execute("PRAGMA journal_mode = wal")
        return path

    @pytest.fixture
    def options(self, path: Path) -> SqliteOptions:
        return SqliteOptions(path=path)

    @pytest.fixture
    def fill(self, path: Path, insert: Callable[[Relation, pa.Table], None]) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            columns = [
                f"{quoted(field.name)} {TYPES[field.type]}{' NOT NULL' if field.name in sample.key else ''}"
                for field in sample.rows.schema
            ]
            if sample.key:
                columns.append(f"PRIMARY KEY ({', '.join(map(quoted, sample.key))})")
            with closing(sqlite3.connect(path, timeout=10)) as connection, connection:
                connection.execute(f"DROP TABLE IF EXISTS {quoted(sample.name)}")
                connection.execute(f"CREATE TABLE {quoted(sample.name)} ({', '.join(columns)})")
            relation = Table(sample.name)
            insert(relation, sample.rows)
            return Filled(relation=relation, rows=sample.rows, key=sample.key)

        return fill

    @pytest.fixture
    def insert(self, path: Path) -> Callable[[Relation, pa.Table], None]:
        def insert(relation: Relation, rows: pa.Table) -> None:
            places = ", ".join("?" * rows.num_columns)
            with closing(sqlite3.connect(path, timeout=10)) as connection, connection:
                connection.executemany(
                    f"INSERT INTO {quoted(str(relation))} VALUES ({places})",
                    [tuple(row.values()) for row in rows.to_pylist()],
                )

        return insert

    @pytest.fixture
    def typed(self, path: Path) -> Typed:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executescript(TYPED)
        day = pa.array(["2024-02-29", "0001-01-01", None]).cast(pa.date32())
        hour = pa.array([86_399_999_999, 0, None], pa.int64()).cast(pa.time64("us"))
        moment = pa.array(["0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", None]).cast(pa.timestamp("us"))
        instant = pa.array(["2024-02-28T21:00:00.000001Z", "1970-01-01T00:00:00Z", None]).cast(
            pa.timestamp("us", "UTC")
        )
        return Typed(
            relation=Table("typed"),
            expected=pa.table(
                {
                    "flag": [True, False, None],
                    "day": day,
                    "hour": hour,
                    "moment": moment,
                    "instant": instant,
                    "price": pa.array(["12.34", "-1.00", None]).cast(pa.decimal128(18, 2)),
                    "free": ["1e-20", "7", None],
                    "whole": pa.array([2**63 - 1, -(2**63), None], pa.int64()),
                    "name": ["ünï", "", None],
                    "raw": pa.array([b"\x00\xff", b"", None], pa.binary()),
                    "real": [0.1, -1.7976931348623157e308, None],
                }
            ),
        )

    @pytest.fixture
    def query(self) -> Callable[[Relation], Query]:
        return lambda relation: Query(f"SELECT * FROM {quoted(str(relation))}")

    @pytest.fixture
    def endless(self, path: Path) -> Relation:
        return Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS number FROM n")


class TestSqlitePackaging(PackagingContract):
    entry = "source.sqlite"

    @pytest.fixture
    def options_text(self) -> str:
        return "path: shop.db"
