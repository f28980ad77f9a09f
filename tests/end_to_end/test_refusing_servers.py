"""Servers that refuse: the exit status, the code, the remedy, and no word of the password."""

from __future__ import annotations

import re
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from e2e_command import RUN, Ended, Place, export, finish, outcome, table
from e2e_gate import holding
from e2e_reader import Delivered
from e2e_secrets import Login, login, traces
from postgres_server import PostgresDatabase

PASSWORD = f"{secrets.token_hex(8)}@:/ %{secrets.token_hex(8)}"


@pytest.fixture
def reader(postgres_database: PostgresDatabase) -> Iterator[Login]:
    """A user who may read the table ``open`` and, of ``half``, one column."""
    postgres_database.run_sql(
        """
        CREATE TABLE open AS SELECT g AS id FROM generate_series(1, 10) g;
        CREATE TABLE closed AS SELECT 1 AS id;
        CREATE TABLE half AS SELECT 1 AS id, 'secret' AS hidden;
        CREATE SCHEMA vault; CREATE TABLE vault.closed AS SELECT 1 AS id;
        GRANT SELECT ON open TO PUBLIC; GRANT SELECT (id) ON half TO PUBLIC;
        """
    )
    with login(postgres_database, PASSWORD) as made:
        yield made


def ended(place: Place, reader: Login, relation: dict[str, Any], url: str | None = None, **tuning: int) -> Ended:
    """Runs one export of a relation, and looks for the password in what is left."""
    place.configure(
        {"url_env": "SOURCE_URL", "tuning": {"max_retries": 1, "retry_backoff_ms": 50, **tuning}},
        [export("asked", relation)],
    )
    done = place.run(SOURCE_URL=url or reader.url())
    assert traces(reader.password, place.folder, done) == []
    assert "Traceback" not in done.err
    return done


def assert_nothing_published(place: Place) -> None:
    assert not list(place.prefix("asked").glob("[!.]*"))


def test_a_wrong_password(place: Place, reader: Login) -> None:
    reader.database.run_sql(f"ALTER ROLE {reader.user} PASSWORD 'another'")
    done = ended(place, reader, table("open"))
    assert done.failure() == (1, "RIVET_SOURCE_CREDENTIALS_INVALID")
    assert_nothing_published(place)


def test_a_user_who_does_not_exist(place: Place, reader: Login) -> None:
    url = reader.url().replace(reader.user, "nobody_of_this_name")
    assert ended(place, reader, table("open"), url).failure() == (1, "RIVET_SOURCE_CREDENTIALS_INVALID")


def test_a_database_that_does_not_exist(place: Place, reader: Login) -> None:
    done = ended(place, reader, table("open"), reader.url(name="no_such_database"))
    assert done.failure() == (1, "RIVET_SOURCE_CONNECT_FAILED")
    assert "no_such_database" in done.error()["error"]


def test_a_table_that_does_not_exist(place: Place, reader: Login) -> None:
    done = ended(place, reader, table("opne"))
    assert done.failure() == (1, "RIVET_SOURCE_TABLE_NOT_FOUND")
    assert_nothing_published(place)


@pytest.mark.parametrize(
    "relation",
    [table("closed"), table("half"), table("closed", "vault"), {"query": "SELECT id FROM closed"}],
    ids=["a table", "a column", "a schema", "a query"],
)
def test_no_privilege(place: Place, reader: Login, relation: dict[str, Any]) -> None:
    done = ended(place, reader, relation)
    code, name = done.failure()
    assert (code, name) == (1, "RIVET_SOURCE_QUERY_FAILED")
    assert re.search("may not read|permission denied", done.error()["error"])
    assert "Grant SELECT" in done.error()["remedy"]
    assert_nothing_published(place)


def test_rows_that_a_policy_keeps_back_are_warned_of(place: Place, reader: Login) -> None:
    reader.database.run_sql("ALTER TABLE open ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON open USING (id < 0)")
    done = ended(place, reader, table("open"))
    assert (done.code, outcome(done)["rows"]) == (0, 0)
    assert "row-level security" in " ".join(outcome(done)["warnings"])
    checked = place.rivet("check", "-c", "rivet.yaml", SOURCE_URL=reader.url())
    assert "row-level security" in checked.out


def test_the_columns_that_may_be_read_can_be_named(place: Place, reader: Login) -> None:
    assert ended(place, reader, {"query": "SELECT id FROM half"}).code == 0
    assert Delivered.at(place.prefix("asked")).rows() == [("1",)]


def test_a_statement_that_takes_too_long(place: Place, reader: Login) -> None:
    slow = {"query": "SELECT id, (SELECT count(*) FROM generate_series(1, 100000000)) AS n FROM open"}
    done = ended(place, reader, slow, statement_timeout_s=1)
    assert done.failure() == (1, "RIVET_SOURCE_STATEMENT_TIMEOUT")
    assert "statement_timeout_s" in done.error()["remedy"]
    assert_nothing_published(place)


def test_a_read_may_take_longer_than_each_of_its_batches(place: Place, reader: Login) -> None:
    # Rows of this size are handed on one by one, each after a third of a second.
    columns = "n, repeat('x', 1200000) AS filling, pg_sleep(0.3)::text AS slept"
    steady = {"query": f"SELECT {columns} FROM generate_series(1, 12) n"}
    done = ended(place, reader, steady, statement_timeout_s=3, batch_size=1)
    assert done.code == 0
    assert len(Delivered.at(place.prefix("asked")).rows()) == 12


def test_slow_and_narrow_rows_are_handed_on_before_their_time_is_over(place: Place, reader: Login) -> None:
    steady = {"query": "SELECT n, pg_sleep(0.002)::text AS slept FROM generate_series(1, 2000) n"}
    done = ended(place, reader, steady, statement_timeout_s=3, batch_size=100)
    assert done.code == 0
    assert len(Delivered.at(place.prefix("asked")).rows()) == 2000


def test_a_locked_table(place: Place, reader: Login) -> None:
    with holding(reader.database, "LOCK TABLE open IN ACCESS EXCLUSIVE MODE"):
        done = ended(place, reader, table("open"), lock_timeout_s=1)
    code, _ = done.failure()
    assert code == 2
    assert "lock timeout" in done.error()["error"]
    assert outcome(done)["retries"] == 1
    assert_nothing_published(place)
    assert ended(place, reader, table("open"), lock_timeout_s=1).code == 0
    assert len(Delivered.at(place.prefix("asked")).rows()) == 10


def test_a_server_that_is_not_there(place: Place, reader: Login) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = reader.url().replace(f":{reader.port}/", f":{nobody.getsockname()[1]}/")
        done = ended(place, reader, table("open"), url)
    assert done.failure() == (2, "RIVET_SOURCE_CONNECT_FAILED")


@pytest.mark.slow
def test_a_server_that_never_answers(place: Place, reader: Login) -> None:
    # The backlog takes the connection, and nobody reads it.
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        url = reader.url().replace(f":{reader.port}/", f":{deaf.getsockname()[1]}/") + "?connect_timeout=2"
        began = time.monotonic()
        done = ended(place, reader, table("open"), url)
    assert done.failure() == (2, "RIVET_SOURCE_CONNECT_FAILED")
    assert time.monotonic() - began < 60


def test_a_server_with_no_connection_left(place: Place, reader: Login) -> None:
    reader.database.run_sql(f"ALTER ROLE {reader.user} CONNECTION LIMIT 0")
    done = ended(place, reader, table("open"))
    assert done.failure() == (2, "RIVET_SOURCE_CONNECT_FAILED")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_wait_for_a_server_that_never_answers(
    place: Place, number: signal.Signals, code: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:{quote(PASSWORD, safe='')}@127.0.0.1:{silent.getsockname()[1]}/d"
        place.configure({"url_env": "SOURCE_URL"}, [export("asked", table("open"))])
        with place.start(*RUN, SOURCE_URL=url) as process:
            connection, _ = silent.accept()
            begun = time.monotonic()
            process.send_signal(number)
            done = finish(process, 60)
            seconds = time.monotonic() - begun
        connection.close()
    assert done.failure() == (code, "RIVET_RUN_STOPPED"), done.err
    # The driver's library would wait for 15 s.
    assert seconds < 5
    assert "Traceback" not in done.err
