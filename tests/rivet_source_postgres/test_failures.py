"""What goes wrong, what it is called, and whether trying again can help."""

from __future__ import annotations

import pickle
import subprocess
from contextlib import closing
from typing import Any

import pytest

from rivet_core.errors import EnvironmentFailure, RivetError
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Query, Secret, Table, Verdict
from rivet_source_postgres.failures import failure, verdict
from rivet_source_postgres.options import PostgresOptions, TlsOptions, TuningOptions
from rivet_source_postgres.plugin import make_source


class Foreign(Exception):
    """Stands for the driver's error, which nobody can raise at will for every state."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("the server said no")
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("08006", Verdict.RECONNECT),
        ("08001", Verdict.RECONNECT),
        ("57P01", Verdict.RECONNECT),
        ("57P02", Verdict.RECONNECT),
        ("57P03", Verdict.RECONNECT),
        ("53300", Verdict.RECONNECT),
        ("53100", Verdict.RETRY),
        ("53200", Verdict.RETRY),
        ("40001", Verdict.RETRY),
        ("40P01", Verdict.RETRY),
        ("55P03", Verdict.RETRY),
        ("57014", Verdict.FATAL),
        ("28P01", Verdict.CONFIG),
        ("28000", Verdict.CONFIG),
        ("42601", Verdict.FATAL),
        ("22012", Verdict.FATAL),
        ("XX000", Verdict.FATAL),
    ],
)
def test_the_verdict_follows_the_state(state: str, expected: Verdict) -> None:
    error = Foreign(state)
    assert verdict(error) is expected
    raised = failure(error)
    raised.__cause__ = error
    assert verdict(raised) is expected
    if isinstance(raised, EnvironmentFailure):
        assert raised.transient == (expected in {Verdict.RETRY, Verdict.RECONNECT})


#: Every class of states that the server knows.
CLASSES = """
00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0
HV P0 XX
"""
STATES = ["08P01", "25006", "42P02", "55P03", "57014", "ZZZZZ", ""]


@pytest.mark.parametrize("state", [*(f"{one}000" for one in CLASSES.split()), *STATES])
def test_every_error_says_what_to_do(state: str) -> None:
    error = failure(Foreign(state))
    assert error.remedy
    assert error.remedy.endswith(".")


RAISING = {
    "42601": "SELECT 1 FORM t",
    "22012": "SELECT 1 / g AS a FROM generate_series(0, 1) g",
    "25006": "SELECT nextval('s') AS a",
    "0A000": "SELECT a FROM t FOR UPDATE OF x.t",
    "55000": "SELECT a FROM empty",
    "22P02": "SELECT t::int AS a FROM words",
    "22003": "SELECT a + 2147483647 AS a FROM t",
    "42P02": "SELECT $1 AS a",
    "P0001": "SELECT complain() AS a",
    "42883": "SELECT nothing(1) AS a",
    "42703": "SELECT nothing AS a FROM t",
}


@pytest.mark.parametrize("state", RAISING)
def test_every_error_of_a_query_says_what_to_do(room: Any, state: str) -> None:
    room.run_sql(
        """
        CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE SEQUENCE s; CREATE TABLE words AS SELECT 'zz' AS t;
        CREATE MATERIALIZED VIEW empty AS SELECT a FROM t WITH NO DATA;
        CREATE FUNCTION complain() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE 'no more today'; END $$;
        """
    )
    error = raised_by(room.source(), Query(RAISING[state]))
    assert error.remedy
    assert "LINE" not in str(error)
    if state != "0A000":
        assert f"(SQLSTATE {state})" in str(error)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SELECT 1 FORM t", ", line 1 of the query"),
        ("SELECT 1 AS a\nFROM t\nWHRE true", ", line 3 of the query"),
        ("SELECT 1 AS a,\n nothing AS b", ", line 2 of the query"),
        ("show work_mem", ", at the end of the query"),
        ("SELECT 1 +", ", at the end of the query"),
        ("SELECT 1 FROM\n\n", ", at the end of the query"),
    ],
)
def test_an_error_has_the_line_of_the_users_own_text(room: Any, text: str, place: str) -> None:
    error = raised_by(room.source(), Query(text))
    assert place in error.message
    assert "_rivet" not in error.message


def test_an_error_of_a_table_has_no_line_of_ours(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a int)")
    columns = room.own.describe(Table("t"), ColumnRules()).columns
    room.run_sql("ALTER TABLE t DROP a")
    request = ReadRequest(relation=Table("t"), columns=columns)
    with pytest.raises(RivetError) as caught, room.own.read(request, ReadContext()) as batches:
        list(batches)
    assert "line" not in caught.value.message.lower()


def test_a_verdict_survives_the_way_to_another_process() -> None:
    arrived = pickle.loads(pickle.dumps(failure(Foreign("08006"))))
    assert verdict(arrived) is Verdict.RECONNECT


def raised_by(source: Any, relation: Any = None) -> RivetError:
    with closing(source), pytest.raises(RivetError) as caught:
        _use(source, relation)
    return caught.value


def _use(source: Any, relation: Any) -> None:
    if relation is None:
        source.check()
        return
    columns = source.describe(relation, ColumnRules()).columns
    with source.read(ReadRequest(relation=relation, columns=columns), ReadContext()) as batches:
        list(batches)


@pytest.mark.parametrize("password", ["geheim", "ge@heim/zu:haus", "ge heim", "ge%heim", "ge'heim\"", "ge?heim#"])
def test_a_wrong_password_is_in_no_message(room: Any, password: str) -> None:
    before, _, host = room.url.partition("@")
    user = before.rpartition(":")[0]
    error = raised_by(make_source(PostgresOptions(url=Secret(f"{user}:{password}@{host}"))))
    assert error.code == "RIVET_SOURCE_CREDENTIALS_INVALID"
    words = {password, *password.replace("@", " ").replace("/", " ").replace(":", " ").split()}
    said = [str(error), repr(error), str(error.__cause__)]
    assert [word for word in words if len(word) > 2 and any(word in text for text in said)] == []


def test_a_password_of_every_sign_connects(room: Any) -> None:
    password = "p@ss/w:o?r#d%20 '\"\\&=+;$é[x]"
    role = f"{room.schema}_odd"
    quoted = password.replace("'", "''")
    room.run_sql(f"CREATE ROLE {role} LOGIN PASSWORD '{quoted}'")
    host, _, rest = room.url.partition("@")[2].partition(":")
    port = int(rest.partition("/")[0])
    source = make_source(
        PostgresOptions(host=host, port=port, user=role, password=Secret(password), database=room.database)
    )
    source.check()
    source.close()
    room.run_sql(f"DROP ROLE {role}")


def test_a_raw_password_in_a_url_connects(room: Any) -> None:
    role = f"{room.schema}_raw"
    room.run_sql(f"CREATE ROLE {role} LOGIN PASSWORD 'a@b/c:d?e#f%g'")
    host = room.url.partition("@")[2]
    source = room.source_of(f"postgresql://{role}:a@b/c:d?e#f%g@{host}")
    source.check()
    source.close()
    room.run_sql(f"DROP ROLE {role}")


def test_an_absent_database_is_a_matter_of_configuration(room: Any) -> None:
    source = room.source_of(room.url.replace(room.database, "nowhere"))
    error = raised_by(source)
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert source.verdict(error) is Verdict.CONFIG


def test_a_server_that_is_not_there_may_come_back() -> None:
    source = make_source(PostgresOptions(host="127.0.0.1", port=1, user="u", database="d"))
    error = raised_by(source)
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert source.verdict(error) is Verdict.RECONNECT


def test_a_server_without_tls_is_refused_when_tls_is_asked_for(room: Any) -> None:
    source = room.source(tls=TlsOptions(mode="require"))
    error = raised_by(source)
    assert error.code == "RIVET_SOURCE_CONNECT_FAILED"
    assert source.verdict(error) is Verdict.CONFIG


def test_a_statement_that_the_server_ends_is_called_so_and_not_tried_again(room: Any) -> None:
    # Nothing but its own text can change the limit of a statement: every session of ours begins without one.
    room.run_sql(
        """
        CREATE FUNCTION limited() RETURNS int LANGUAGE plpgsql AS
            $$ BEGIN RAISE 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$;
        CREATE VIEW slow AS SELECT limited() AS a;
        """
    )
    source = room.source()
    error = raised_by(source, Table("slow"))
    assert error.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"
    assert source.verdict(error) is Verdict.FATAL


def test_a_limit_of_the_database_for_statements_does_not_end_a_long_read(room: Any) -> None:
    room.run_sql("CREATE VIEW slow AS SELECT pg_sleep(0.6)::text AS a")
    room.run_sql(f'ALTER DATABASE "{room.database}" SET statement_timeout = 300')
    try:
        assert room.psql_text("SHOW statement_timeout") == "300ms"
        with closing(room.source()) as source:
            _use(source, Table("slow"))
    finally:
        room.run_sql(f'ALTER DATABASE "{room.database}" RESET statement_timeout')


def test_a_locked_table_is_not_waited_for_longer_than_asked(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a int)")
    statements = "BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)"
    holder = subprocess.Popen(
        [room.server.psql, "--no-psqlrc", f"--dbname={room.url}", f"--command={statements}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    held = "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 't'::regclass AND granted"
    while room.psql_text(held) == "0":
        assert holder.poll() is None
    try:
        source = room.source(tuning=TuningOptions(lock_timeout_s=1))
        error = raised_by(source, Table("t"))
        assert source.verdict(error) is Verdict.RETRY
        assert "lock" in str(error)
    finally:
        # psql alone would leave its statement running.
        room.psql_text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 't'::regclass AND granted")
        holder.wait(timeout=20)


def test_an_error_in_the_middle_keeps_its_state(room: Any) -> None:
    error = raised_by(room.source(), Query("SELECT g, 1 / (100000 - g) AS a FROM generate_series(1, 200000) g"))
    assert str(error).startswith("[RIVET_SOURCE_QUERY_FAILED] division by zero (SQLSTATE 22012)")


def test_a_permission_that_is_missing_is_a_matter_of_configuration(room: Any) -> None:
    role = f"{room.schema}_poor"
    room.run_sql(
        f"CREATE TABLE t (a int); CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA {room.schema} TO {role}"
    )
    host = room.url.partition("@")[2]
    source = room.source_of(f"postgresql://{role}:x@{host}")
    error = raised_by(source, Query("SELECT a FROM t"))
    assert source.verdict(error) is Verdict.CONFIG
    room.run_sql(f"DROP OWNED BY {role}; DROP ROLE {role}")
