"""What SQLite says becomes an error that tells what to do, whether waiting helps, and on time that it was cancelled."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rivet_core.engine.cancelling import Cancelling
from rivet_core.engine.watch import Watch
from rivet_core.errors import EnvironmentFailure, RivetError
from rivet_core.requests import ColumnKey, ReadContext, ReadRequest
from rivet_core.sources.sqlite.faults import failure, unusable
from rivet_core.sources.sqlite.options import SqliteOptions
from rivet_core.sources.sqlite.source import SqliteSource
from rivet_core.types import ColumnRules, Query, Table, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Database

CODES = sorted({value for name, value in vars(sqlite3).items() if name.startswith("SQLITE_") and 0 < value < 27})
SLOW = Query("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 400000000) SELECT x FROM c")
KEY = (ColumnKey("x"),)
WAITING = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_SCHEMA,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
}


def said(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "told", [lambda error: failure(error, Table("t")), lambda error: unusable(Path("a.db"), error)]
)
def test_whatever_sqlite_says_has_a_remedy_and_one_opinion_of_waiting(
    told: Callable[[sqlite3.Error], RivetError], code: int
) -> None:
    error = told(said(code))
    error.__cause__ = said(code)
    assert error.remedy
    assert getattr(error, "transient", False) is (code in WAITING)
    waits = SqliteSource(SqliteOptions(path=Path("a.db"))).verdict(error) in {Verdict.RETRY, Verdict.RECONNECT}
    assert waits is (code in WAITING)


def test_a_lock_while_opening_is_worth_waiting_for(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rivet_core.sources.sqlite.connection._BUSY_SECONDS", 0.1)
    database.run("PRAGMA journal_mode = delete; BEGIN EXCLUSIVE")
    with pytest.raises(EnvironmentFailure) as caught:
        database.source.check()
    assert caught.value.transient
    assert database.source.verdict(caught.value) is Verdict.RETRY
    assert "held by another program" in str(caught.value)
    database.own.rollback()
    database.source.check()


def test_a_hot_journal_is_rolled_back_by_whoever_may_write(tmp_path: Path) -> None:
    path, crashed = tmp_path / "own.db", tmp_path / "crashed.db"
    own = sqlite3.connect(path, isolation_level=None)
    own.executescript("PRAGMA cache_size = 1; CREATE TABLE t (a); BEGIN")
    own.executemany("INSERT INTO t VALUES (?)", [("x" * 3000,)] * 100)
    shutil.copy(path, crashed)
    shutil.copy(f"{path}-journal", f"{crashed}-journal")
    own.close()
    with pytest.raises(EnvironmentFailure) as caught:
        SqliteSource(SqliteOptions(path=crashed)).check()
    assert "once" in (caught.value.remedy or "")
    assert "sqlite3" in (caught.value.remedy or "")
    sqlite3.connect(crashed).execute("SELECT * FROM t").fetchall()
    SqliteSource(SqliteOptions(path=crashed)).check()


def test_a_corrupt_page_in_a_read_is_told_with_a_way_out(database: Database) -> None:
    database.run("PRAGMA journal_mode = delete; CREATE TABLE t (a TEXT)")
    database.own.executemany("INSERT INTO t VALUES (?)", [("x" * 1000,)] * 1000)
    database.own.close()
    size = database.path.stat().st_size
    with database.path.open("r+b") as file:
        file.seek(size // 2)
        file.write(os.urandom(4096 * 8))
    with pytest.raises(EnvironmentFailure) as caught:
        database.rows(Table("t"))
    assert "integrity_check" in (caught.value.remedy or "")


QUESTIONS: dict[str, Callable[[SqliteSource, ReadRequest], Any]] = {
    "count": lambda source, request: source.count(request, ReadContext()),
    "bounds": lambda source, request: source.bounds(SLOW, "x"),
    "split": lambda source, request: source.split(request, KEY, 4),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_slow_question_is_cancelled(database: Database, question: str) -> None:
    columns = database.source.describe(SLOW, ColumnRules()).columns
    request = ReadRequest(relation=SLOW, columns=columns)
    began = time.monotonic()
    with Watch(0.5, Cancelling(database.source.cancel)) as watch, pytest.raises(EnvironmentFailure) as caught:
        watch.answer(lambda: QUESTIONS[question](database.source, request))
    assert caught.value.code == "RIVET_SOURCE_STATEMENT_TIMEOUT"
    assert time.monotonic() - began < 5


def test_a_question_that_is_not_wanted_any_more_ends(database: Database) -> None:
    request = ReadRequest(relation=SLOW, columns=database.source.describe(SLOW, ColumnRules()).columns)
    timer = threading.Timer(0.3, database.source.cancel)
    timer.start()
    with pytest.raises(EnvironmentFailure) as caught:
        database.source.count(request, ReadContext())
    timer.join()
    assert caught.value.remedy
    assert database.source.verdict(caught.value) is Verdict.FATAL


@pytest.mark.parametrize("query", ["select nope from t", "select id from t where nope > 1"])
def test_a_column_that_a_query_names_and_that_is_not_there_is_no_change_to_wait_for(
    database: Database, query: str
) -> None:
    database.run("CREATE TABLE t (id INTEGER)")
    with pytest.raises(EnvironmentFailure, match="nope") as caught:
        database.source.describe(Query(query), ColumnRules())
    assert (caught.value.code, caught.value.transient) == ("RIVET_SOURCE_QUERY_FAILED", False)


def test_a_column_that_goes_while_it_is_read_is_a_change(database: Database) -> None:
    database.run("CREATE TABLE t (id INTEGER, gone INTEGER)")
    columns = database.source.describe(Table("t"), ColumnRules()).columns
    database.run("ALTER TABLE t DROP COLUMN gone")
    request = ReadRequest(relation=Table("t"), columns=columns)
    with pytest.raises(EnvironmentFailure) as caught, database.source.read(request, ReadContext()) as batches:
        list(batches)
    assert (caught.value.code, caught.value.transient) == ("RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ", True)
