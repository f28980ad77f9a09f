"""Behind a transaction pooler settings do not stick to a connection: each transaction makes its own."""

from __future__ import annotations

from typing import Any

import pytest

from rivet_core.requests import ColumnKey, ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Position, Table
from rivet_source_postgres.session import Login, Session

SETTINGS = (
    "SELECT current_setting('TimeZone') AS a, current_setting('intervalstyle') AS b,"
    " current_setting('transaction_read_only') AS c"
)


@pytest.fixture
def pooled(room: Any) -> Any:
    """A source whose settings were dropped while connecting, as by a pooler that ignores them."""
    room.run_sql(f"ALTER ROLE CURRENT_USER IN DATABASE {room.database} SET timezone = 'Asia/Tokyo'")
    source = room.source()
    login = source._login()
    source._session = Session(Login(uri=login.plain_uri, plain_uri=login.plain_uri, settings=login.settings))
    yield source
    source.close()
    room.run_sql(f"ALTER ROLE CURRENT_USER IN DATABASE {room.database} RESET timezone")


def test_dropped_settings_are_noticed_and_made_in_the_transaction(pooled: Any) -> None:
    assert pooled._session.rows(SETTINGS) == [{"a": "UTC", "b": "iso_8601", "c": "on"}]
    assert pooled._session.pooled


def test_nothing_of_the_settings_stays_behind(pooled: Any) -> None:
    pooled.check()
    with pooled._session.stream(SETTINGS) as batches:
        assert [batch.to_pylist() for batch in batches] == [[{"a": "Asia/Tokyo", "b": "postgres", "c": "off"}]]


def test_everything_works_behind_a_pooler(room: Any, pooled: Any) -> None:
    room.run_sql(
        f"""
        CREATE TABLE {room.schema}.t (id int PRIMARY KEY, i interval);
        INSERT INTO {room.schema}.t SELECT g, '1 day 0.5 sec' FROM generate_series(1, 10) g
        """
    )
    table = Table("t", room.schema)
    request = ReadRequest(
        relation=table, columns=pooled.describe(table, ColumnRules()).columns, order=(ColumnKey("id"),)
    )
    with pooled.read(request, ReadContext()) as batches:
        (batch,) = batches
    assert batch.data.column("i")[0].as_py() == "P1DT0.500000S"
    assert batch.mark == Position("int64", "10")
    assert pooled.keys(table)[0].columns == ("id",)
    assert len(pooled.split(request, (ColumnKey("id"),), 2)) == 1
    assert pooled.count(request, ReadContext()) == 10
    with pooled.snapshot() as snapshot, pooled.read(request, ReadContext(snapshot=snapshot)) as batches:
        assert sum(one.data.num_rows for one in batches) == 10
    with pooled.read(request, ReadContext()) as batches:
        next(batches)
    assert pooled.now() is not None
