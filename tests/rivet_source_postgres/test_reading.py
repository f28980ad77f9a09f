"""How rows travel: batches, marks, memory, early ends, cancelling, locks, snapshots."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import attrs
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rivet_core.errors import RivetError
from rivet_core.requests import After, Between, Budget, Coalesce, ColumnKey, IsNull, ReadContext, ReadRequest, Since
from rivet_core.types import Position, Table, Verdict
from rivet_source_postgres.marks import plan_marks

PIDS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'rivet' AND datname = current_database()"
RUNNING = f"SELECT count(*) FROM ({PIDS} AND state <> 'idle') p"


def request_of(room: Any, relation: Any, **keys: Any) -> ReadRequest:
    return ReadRequest(relation=relation, columns=tuple(room.columns(relation).values()), **keys)


def until(condition: Any, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def many(room: Any) -> Any:
    room.run_sql(
        """
        CREATE TABLE many AS SELECT g::bigint AS id, timestamp '2020-01-01' + g * interval '1 second' AS at,
            g % 100 AS tie, repeat('x', 100) AS filling FROM generate_series(1, 60000) g;
        ALTER TABLE many ADD PRIMARY KEY (id);
        """
    )
    return room


# -- batches and marks --------------------------------------------------------


def test_no_value_of_a_batch_changes_later(many: Any) -> None:
    batches = many.batches("many", order=(ColumnKey("id"),), budget=Budget(bytes=64 * 1024, rows=1000))
    table = pa.Table.from_batches([batch.data for batch in batches])
    assert table["id"].to_pylist() == list(range(1, 60_001))
    seconds = pc.subtract(table["at"].cast(pa.int64()), 1_577_836_800_000_000)
    assert pc.all(pc.equal(seconds, pc.multiply(table["id"], 1_000_000))).as_py()


def test_batches_keep_to_the_budget_of_rows_and_bytes(many: Any) -> None:
    for budget in (Budget(bytes=16 * 1024 * 1024, rows=700), Budget(bytes=256 * 1024, rows=65_536)):
        batches = many.batches("many", budget=budget)
        assert max(batch.data.num_rows for batch in batches) <= budget.rows
        assert max(batch.data.nbytes for batch in batches) <= 2 * budget.bytes
        assert sum(batch.data.num_rows for batch in batches) == 60_000


def test_a_batch_that_ends_among_equal_keys_has_no_mark(room: Any) -> None:
    # First every row has a key of its own, then thousands share one: wherever the driver cuts, both ends are met.
    key = "CASE WHEN g <= 5000 THEN g ELSE 1000000 + g / 3000 END"
    room.run_sql(f"CREATE TABLE tied AS SELECT ({key})::bigint AS tie FROM generate_series(1, 20000) g")
    batches = room.batches("tied", order=(ColumnKey("tie"),), budget=Budget(rows=400))
    ties = [(batch.data.column("tie")[0], batch.data.column("tie")[-1]) for batch in batches]
    among = [end == start for (_, end), (start, _) in pairwise(ties)]
    assert {True, False} == set(among)
    assert [batch.mark is None for batch in batches] == [*among, False]
    assert batches[-1].mark == Position("int64", "1000006")


def test_a_mark_at_the_end_of_the_drivers_batch_knows_the_next_row(many: Any) -> None:
    batches = many.batches("many", order=(ColumnKey("tie"),), budget=Budget(bytes=32 * 1024))
    assert len(batches) > 50
    ends = [batch.data.column("tie")[-1] for batch in batches]
    starts = [batch.data.column("tie")[0] for batch in batches[1:]]
    assert [batch.mark is None for batch in batches[:-1]] == [
        end == start for end, start in zip(ends, starts, strict=False)
    ]


@pytest.mark.parametrize(
    ("native", "values", "ties"),
    [
        ("numeric", "(1), (1.0), (2)", [True, False, False]),
        ("interval", "('1 day'), ('24:00:00'), ('2 days')", [True, False, False]),
        ("float8", "(0), ('-0'), (1)", [True, False, False]),
        ("citext", "('a'), ('A'), ('b')", [True, False, False]),
        ("text COLLATE loose", "('a'), ('A'), ('b')", [True, False, False]),
        ("text", "('a'), ('A'), ('b')", [False, False, False]),
        ("jsonb", "('1'), ('1.0'), ('2')", [True, False, False]),
    ],
)
def test_the_server_decides_which_keys_are_equal(room: Any, native: str, values: str, ties: list[bool]) -> None:
    room.run_sql(
        f"""
        SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;
        CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        CREATE TABLE t (k {native}); INSERT INTO t VALUES {values};
        """
    )
    batches = room.batches("t", order=(ColumnKey("k"),), budget=Budget(rows=1))
    assert [batch.mark is None for batch in batches] == ties


def test_a_row_whose_key_is_null_has_no_mark(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a int, b int); INSERT INTO t VALUES (1, NULL), (2, 7), (NULL, 3)")
    batches = room.batches("t", order=(ColumnKey("a"),), budget=Budget(rows=1))
    assert [batch.mark for batch in batches] == [None, Position("int64", "1"), Position("int64", "2")]
    key = Coalesce(("b", "a"))
    batches = room.batches("t", order=(key,), budget=Budget(rows=1))
    assert [batch.mark for batch in batches] == [Position("int64", text) for text in ("1", "3", "7")]


@pytest.mark.parametrize("names", [("a",), ("a", "id"), ("x", "a", "id")])
def test_reading_on_after_any_mark_loses_no_row_without_a_key(room: Any, names: tuple[str, ...]) -> None:
    room.run_sql(
        """
        CREATE TABLE t (id int NOT NULL, x int NOT NULL, a int);
        INSERT INTO t SELECT g, g % 2, nullif(g % 5, 0) FROM generate_series(1, 40) g;
        """
    )
    keys = tuple(ColumnKey(name) for name in names)
    request = request_of(room, Table("t"), order=keys, budget=Budget(rows=3))
    whole = read(room, request)
    for number, batch in enumerate(whole, 1):
        if batch.mark is not None:
            left = sorted(row for later in whole[number:] for row in later.data.column("id").to_pylist())
            assert sorted(ids(room, attrs.evolve(request, terms=(After(keys, batch.mark),)))) == left


def test_only_keys_that_may_be_null_say_where_null_comes(room: Any) -> None:
    room.run_sql("CREATE TABLE t (id int PRIMARY KEY, a int, b numeric NOT NULL)")
    columns = room.columns("t")

    def nulls_first(order: str, terms: tuple[Any, ...] = (), *names: str) -> list[str]:
        chosen = tuple(column for name, column in columns.items() if name in (names or columns))
        asked = ReadRequest(relation=Table("t"), columns=chosen, order=(ColumnKey(order),), terms=terms)
        plan = plan_marks(asked, lambda keys: room.own._types.of(room.own._main(), Table("t"), keys))
        return [key.name for key in plan.nulls_first if isinstance(key, ColumnKey)]

    assert nulls_first("id") == nulls_first("id", (), "a") == nulls_first("b") == []
    assert nulls_first("a") == nulls_first("a", (), "id") == ["a"]
    assert nulls_first("a", (After((ColumnKey("a"),), Position("int64", "1")),)) == []


def test_the_order_is_the_columns_and_not_its_texts(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a int4range); INSERT INTO t VALUES ('[9,10)'), ('[10,11)')")
    assert room.column("t", "a", order=(ColumnKey("a"),)) == ["[9,10)", "[10,11)"]


KEYS = {
    "smallint": ["-32768", "0", "32767"],
    "bigint": ["-9223372036854775808", "-1", "9223372036854775807"],
    "oid": ["0", "4294967295"],
    "numeric": ["-1.50", "0", "1e20", "NaN"],
    "double precision": ["-Infinity", "-0.1", "0.1", "Infinity"],
    "text": ["", "A", "a'b\\", "ä", "z"],
    "character(3)": ["a", "b c"],
    "name": ["a", "b"],
    "date": ["4713-01-01 BC", "2024-02-29", "5874897-12-31"],
    "timestamp": ["0044-03-15 12:00 BC", "2024-02-29 00:00:00.000001", "294246-12-31"],
    "timestamptz": ["0044-03-15 12:00+00 BC", "2024-02-29 00:00:00.000001+03"],
    "time": ["00:00", "23:59:59.999999"],
    "interval": ["-1 day", "1 mon", "1 year 0.000001 sec"],
    "uuid": ["00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "bytea": ["\\x", "\\x00ff"],
    "boolean": ["f", "t"],
    "inet": ["10.0.0.1", "10.0.0.1/8"],
    "bit(3)": ["001", "111"],
    "mood": ["sad", "glad"],
    "citext": ["a", "B"],
}


@pytest.mark.parametrize("native", KEYS)
def test_a_mark_of_any_type_leads_back_to_its_place(room: Any, native: str) -> None:
    values = ", ".join("('" + value.replace("'", "''") + "')" for value in KEYS[native])
    room.run_sql(
        f"""
        SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;
        CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE t (k {native}); INSERT INTO t VALUES {values};
        """
    )
    key = (ColumnKey("k"),)
    request = request_of(room, Table("t"), order=key, budget=Budget(rows=1))
    whole = read(room, request)
    for number, batch in enumerate(whole, 1):
        assert batch.mark is not None
        rest = read(room, attrs.evolve(request, terms=(After(key, batch.mark),)))
        assert rows(rest) == rows(whole[number:])
    bounds = room.own.bounds(Table("t"), "k")
    assert bounds is not None
    assert (bounds.low, bounds.high) == (whole[0].mark, whole[-1].mark) or native in {
        "timestamp",
        "timestamptz",
        "time",
    }


def read(room: Any, request: ReadRequest, context: ReadContext | None = None) -> list[Any]:
    with room.own.read(request, context or ReadContext()) as stream:
        return [batch for batch in stream if batch.data.num_rows]


def rows(batches: list[Any]) -> list[Any]:
    return [batch.data.column(0).slice(row, 1) for batch in batches for row in range(batch.data.num_rows)]


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(borders=st.sets(st.integers(-2, 103), max_size=5), pages=st.integers(1, 40))
def test_ranges_and_pages_lose_and_double_no_row(tied: Any, borders: set[int], pages: int) -> None:
    room, request = tied
    key = ColumnKey("k")
    ends = [None, *(Position("int64", str(border)) for border in sorted(borders)), None]
    found = [
        row
        for low, high in pairwise(ends)
        for row in ids(room, attrs.evolve(request, terms=(Between(key, low, high),)))
    ]
    found += ids(room, attrs.evolve(request, terms=(IsNull(key),)))
    assert sorted(found) == list(range(220))
    mark, seen = None, []
    while True:
        terms = () if mark is None else (After((key, ColumnKey("id")), mark),)
        page = read(
            room,
            attrs.evolve(request, order=(key, ColumnKey("id")), limit=pages, terms=(*terms, Between(key, None, None))),
        )
        seen += [row for batch in page for row in batch.data.column("id").to_pylist()]
        if not page:
            break
        mark = page[-1].mark
    assert sorted(seen) == list(range(200))


def ids(room: Any, request: ReadRequest) -> list[int]:
    return [row for batch in read(room, request) for row in batch.data.column("id").to_pylist()]


@pytest.fixture
def tied(room: Any) -> Any:
    room.run_sql(
        """
        CREATE TABLE t (id int PRIMARY KEY, k int);
        INSERT INTO t SELECT g, CASE WHEN g < 200 THEN (g * 7) % 101 END FROM generate_series(0, 219) g;
        """
    )
    return room, request_of(room, Table("t"))


def test_split_of_a_sparse_key_cuts_by_rows_up_to_the_ends_of_its_type(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t11 (id bigint PRIMARY KEY, v text);
        INSERT INTO t11 SELECT g*1000003, 'x' FROM generate_series(1,2000) g;
        INSERT INTO t11 VALUES (9223372036854775807,'max'),(-9223372036854775808,'min');
        """
    )
    key = ColumnKey("id")
    request = request_of(room, Table("t11"))
    borders = [None, *room.own.split(request, (key,), 4), None]
    shares = [attrs.evolve(request, terms=(Between(key, low, high),)) for low, high in pairwise(borders)]
    sizes = [room.own.count(share, ReadContext()) for share in shares]
    assert (len(sizes), sum(sizes)) == (4, 2002)
    assert max(sizes) - min(sizes) <= 2


def test_split_of_a_key_with_few_values_gives_each_border_once(many: Any) -> None:
    many.run_sql("UPDATE many SET tie = CASE WHEN id < 59000 THEN 5 END")
    request = request_of(many, Table("many"))
    assert many.own.split(request, (ColumnKey("tie"),), 8) == (Position("int64", "5"),)


@pytest.mark.parametrize(
    ("column", "literal"), [("id", "59999"), ("at", "2020-01-01T16:39:59"), ("at", "2020-01-01 16:39:59+00")]
)
def test_since_keeps_the_border(many: Any, column: str, literal: str) -> None:
    request = request_of(many, Table("many"), terms=(Since(column, literal),))
    assert many.own.count(request, ReadContext()) == 2


def test_a_position_of_another_source_is_refused(many: Any) -> None:
    for position in (Position("ObjectId", "a"), Position('"x"."y"); DROP TABLE many; --', "a")):
        request = request_of(many, Table("many"), terms=(After((ColumnKey("id"),), position),))
        with pytest.raises(RivetError) as caught:
            read(many, request)
        assert caught.value.code == "RIVET_STATE_POSITION_MISMATCH"


# -- ends ---------------------------------------------------------------------


@pytest.fixture
def long(room: Any) -> Any:
    """Rows that go on for hours."""
    room.run_sql("CREATE VIEW long AS SELECT generate_series(1, 1000000000) AS a, repeat('x', 1000) AS b")
    return room


def each(room: Any, table: str, look: Callable[[Any], object]) -> None:
    with room.own.read(request_of(room, Table(table)), ReadContext()) as batches:
        for batch in batches:
            look(batch)


def test_leaving_early_leaves_no_running_query(long: Any) -> None:
    began = time.monotonic()
    with long.own.read(request_of(long, Table("long")), ReadContext()) as batches:
        next(batches)
    assert until(lambda: long.psql_text(RUNNING) == "0")
    assert time.monotonic() - began < 5
    assert long.own.now() is not None


def test_a_failing_consumer_leaves_no_running_query(long: Any) -> None:
    def look(batch: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        each(long, "long", look)
    assert until(lambda: long.psql_text(RUNNING) == "0")


def test_cancel_ends_a_read_between_batches_too(long: Any) -> None:
    with pytest.raises(RivetError, match="cancel"):
        each(long, "long", lambda _: long.own.cancel())
    assert long.own.now() is not None


def test_a_cancel_before_the_first_batch_keeps_the_statement_from_running(room: Any) -> None:
    room.run_sql("CREATE VIEW slow AS SELECT pg_sleep(600)::text AS a")
    request = request_of(room, Table("slow"))
    with room.own.read(request, ReadContext()) as batches:
        room.own.cancel()
        # Else a statement that ran would be waited for without end.
        rescue = threading.Timer(5, room.own.cancel)
        rescue.start()
        began = time.monotonic()
        with pytest.raises(RivetError, match="cancel"):
            next(batches)
        rescue.cancel()
    assert time.monotonic() - began < 4
    assert until(lambda: room.psql_text(RUNNING) == "0")


def test_a_cancel_behind_the_last_batch_is_no_clean_end(room: Any) -> None:
    with room.own._main().stream("SELECT 1 AS one") as batches:
        next(batches)
        room.own.cancel()
        with pytest.raises(RivetError, match="cancel"):
            next(batches)


def test_a_question_during_a_read_does_not_end_it(many: Any) -> None:
    request = request_of(many, Table("many"), budget=Budget(bytes=64 * 1024))
    with many.own.read(request, ReadContext()) as batches:
        seen = next(batches).data.num_rows
        assert many.own.count(request, ReadContext()) == 60_000
        seen += sum(batch.data.num_rows for batch in batches)
    assert seen == 60_000


def test_a_killed_server_process_never_ends_a_read_cleanly(long: Any) -> None:
    kill = f"SELECT pg_terminate_backend(pid) FROM ({PIDS} AND state = 'active') p"
    with pytest.raises(RivetError) as caught:
        each(long, "long", lambda _: long.psql_text(kill))
    assert long.own.verdict(caught.value) is Verdict.RECONNECT
    assert long.own.now() is not None


def test_a_cancel_ends_a_blocked_read(room: Any) -> None:
    room.run_sql("CREATE VIEW slow AS SELECT pg_sleep(600)::text AS a")
    request = request_of(room, Table("slow"))
    threading.Timer(0.3, room.own.cancel).start()
    began = time.monotonic()
    with pytest.raises(RivetError, match="cancel") as caught:
        read(room, request)
    assert time.monotonic() - began < 5
    assert caught.value.code == "RIVET_SOURCE_QUERY_FAILED"
    assert until(lambda: room.psql_text(RUNNING) == "0")


def test_an_interrupt_ends_a_blocked_read(room: Any) -> None:
    code = f"""
import _thread, os, signal, sys, threading
from rivet_core.types import *
from rivet_core.requests import *
from rivet_source_postgres.options import PostgresOptions
from rivet_source_postgres.plugin import make_source
source = make_source(PostgresOptions(url=Secret({room.url!r})))
relation = Query("SELECT pg_sleep(600)::text AS a")
request = ReadRequest(relation=relation, columns=source.describe(relation, ColumnRules()).columns)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    with source.read(request, ReadContext()) as batches:
        list(batches)
except BaseException as error:
    print(type(error).__name__)
    source.close()
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "KeyboardInterrupt", done.stderr
    assert time.monotonic() - began < 20
    assert until(lambda: room.psql_text(RUNNING) == "0")


# -- what others notice -------------------------------------------------------


def test_a_read_takes_no_lock_but_the_weakest(long: Any) -> None:
    long.run_sql("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t SELECT generate_series(1, 10)")
    long.run_sql("CREATE VIEW pairs AS SELECT t.id, long.b FROM t, long")
    with long.own.read(request_of(long, Table("pairs")), ReadContext()) as batches:
        next(batches)
        locks = (
            f"SELECT DISTINCT mode FROM pg_locks WHERE locktype = 'relation' AND pid IN ({PIDS} AND state = 'active')"
        )
        assert long.psql_text(locks) == "AccessShareLock"
        long.run_sql("INSERT INTO t VALUES (11); UPDATE t SET id = 12 WHERE id = 11; CREATE INDEX ON t (id)")


def test_a_session_is_recognised_and_can_only_read(room: Any) -> None:
    room.own.check()
    names = ("transaction_read_only", "TimeZone", "lock_timeout")
    asked = ", ".join(f"current_setting('{name}') AS {name}" for name in names)
    assert list(room.table(f"SELECT {asked}").to_pylist()[0].values()) == ["on", "UTC", "30s"]
    assert room.psql_text(f"SELECT count(*) FROM ({PIDS}) p") != "0"


def test_the_users_own_settings_change_no_text(room: Any) -> None:
    url = room.url.replace(
        "?options=",
        "?options=-c%20timezone%3DAsia/Tokyo%20-c%20datestyle%3DGerman%20-c%20intervalstyle%3Dpostgres%20"
        "-c%20quote_all_identifiers%3Don%20-c%20",
    )
    url = url.replace("%20-c%20-c%20", "%20-c%20")
    source = room.source_of(url)
    relation = Table("t")
    room.run_sql(
        """
        CREATE TABLE t (a timetz, b tstzrange, c interval, d bytea[]);
        INSERT INTO t VALUES ('04:05+02', '[2020-01-01 00:00+00,)', '1 day', NULL)
        """
    )
    from rivet_core.types import ColumnRules

    request = ReadRequest(relation=relation, columns=source.describe(relation, ColumnRules()).columns)
    with source.read(request, ReadContext()) as batches:
        assert next(batches).data.to_pylist() == [
            {"a": "04:05:00+02", "b": '["2020-01-01 00:00:00+00",)', "c": "P1D", "d": None}
        ]
    source.close()


# -- snapshots ----------------------------------------------------------------


def test_readers_in_one_snapshot_see_one_state_and_so_does_their_count(many: Any) -> None:
    request = request_of(many, Table("many"))
    with many.own.snapshot() as snapshot, ExitStack() as stack:
        many.run_sql("DELETE FROM many WHERE id > 10")
        context = ReadContext(snapshot=snapshot)
        readers = [many.source(), many.source()]
        for reader in readers:
            stack.callback(reader.close)
        found: list[int] = []
        threads = [
            threading.Thread(target=lambda reader=reader: found.append(rows_of(reader, request, context)))
            for reader in readers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [60_000, 60_000]
        assert readers[0].count(request, context) == 60_000
        assert readers[0].count(request, ReadContext()) == 10


def rows_of(source: Any, request: ReadRequest, context: ReadContext) -> int:
    with source.read(request, context) as batches:
        return sum(batch.data.num_rows for batch in batches)


def test_a_snapshot_dies_with_its_connection(many: Any) -> None:
    request = request_of(many, Table("many"))
    with many.own.snapshot() as snapshot:
        many.psql_text(f"SELECT pg_terminate_backend(pid, 5000) FROM ({PIDS} AND state = 'idle in transaction') p")
        with pytest.raises(RivetError) as caught:
            read(many, request, ReadContext(snapshot=snapshot))
        assert caught.value.code == "RIVET_SOURCE_SNAPSHOT_GONE"
        assert many.own.verdict(caught.value) is Verdict.FATAL
        assert rows_of(many.own, request, ReadContext()) == 60_000


# -- memory -------------------------------------------------------------------


def test_memory_does_not_grow_with_the_rows(room: Any) -> None:
    code = f"""
import resource
from rivet_core.types import *
from rivet_core.requests import *
from rivet_source_postgres.options import PostgresOptions
from rivet_source_postgres.plugin import make_source
source = make_source(PostgresOptions(url=Secret({room.url!r})))
for rows in (20_000, 1_000_000):
    columns = "g AS id, repeat('x', 200) AS a, 1.5::numeric(10,2) AS b, '{{1,2}}'::int[] AS c"
    relation = Query("SELECT " + columns + f" FROM generate_series(1, {{rows}}) g")
    columns = source.describe(relation, ColumnRules()).columns
    request = ReadRequest(relation=relation, columns=columns, budget=Budget(bytes=4 * 1024 * 1024))
    with source.read(request, ReadContext()) as batches:
        assert sum(batch.data.num_rows for batch in batches) == rows
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
source.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True)
    few, lots = (int(line) for line in done.stdout.split())
    # The rows are 230 MB; a few batches of 4 MB are allowed.
    assert lots - few < 40 * 1024
