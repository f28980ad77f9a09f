"""What can be read: tables of every kind, under every name, and queries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pyarrow as pa
import pytest

from rivet_core.errors import RivetError
from rivet_core.requests import ColumnKey, ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Query, Table

NAMES = [
    'say "x"',
    "it's",
    "dot.ted",
    "two words",
    "select",
    "Üñí 日本",
    "back\\slash",
    "%s",
    "x" * 63,
    "tab\t",
    ":a",
    "_rivet",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_table_and_column_can_be_read(room: Any, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    room.run_sql(f"CREATE TABLE {quoted} ({quoted} int[], k int); INSERT INTO {quoted} VALUES ('{{1}}', 1)")
    assert room.table(Table(name), order=(ColumnKey("k"),)).to_pylist() == [{name: [1], "k": 1}]
    assert room.table(Table(name, room.schema)).num_rows == 1


def test_the_error_of_an_array_names_any_column(room: Any) -> None:
    name = "a|b'c\"d"
    room.run_sql("""CREATE TABLE t ("a|b'c""d" int[]); INSERT INTO t VALUES ('{{1}}')""")
    with pytest.raises(RivetError) as caught:
        room.batches("t")
    assert caught.value.place is not None
    assert caught.value.place.field == name


def test_a_name_that_is_too_long_is_not_shortened(room: Any) -> None:
    room.run_sql(f'CREATE TABLE "{"x" * 63}" (a int)')
    with pytest.raises(RivetError) as caught:
        room.columns(Table("x" * 64))
    assert caught.value.code == "RIVET_SOURCE_TABLE_NOT_FOUND"


def test_the_search_path_decides_about_a_name_without_a_schema(room: Any) -> None:
    room.run_sql(
        f"CREATE TABLE t (here int); CREATE SCHEMA {room.schema}_b; CREATE TABLE {room.schema}_b.t (there int)"
    )
    assert list(room.columns("t")) == ["here"]
    assert list(room.columns(Table("t", f"{room.schema}_b"))) == ["there"]


@pytest.mark.parametrize(("asked", "hint"), [("orders", "Orders"), ("ORDERS", "Orders"), ("room.Orders", "Orders")])
def test_an_absent_table_is_refused_with_what_is_near(room: Any, asked: str, hint: str) -> None:
    room.run_sql('CREATE TABLE "Orders" (a int)')
    with pytest.raises(RivetError) as caught:
        room.columns(Table(asked))
    assert caught.value.code == "RIVET_SOURCE_TABLE_NOT_FOUND"
    assert f"{room.schema}.{hint}" in str(caught.value)


def test_views_and_materialised_views_are_read(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (n numeric(5,2)); INSERT INTO t VALUES (1.5);
        CREATE VIEW v AS SELECT n, n * 2 AS twice FROM t; CREATE MATERIALIZED VIEW m AS SELECT n FROM t;
        """
    )
    assert room.table("v").schema.types == [pa.decimal128(5, 2), pa.string()]
    assert room.table("m").num_rows == 1


UNREADY = """
CREATE TABLE t (a int); CREATE MATERIALIZED VIEW empty AS SELECT a FROM t WITH NO DATA;
CREATE VIEW over AS SELECT a FROM empty; CREATE VIEW above AS SELECT a FROM t UNION ALL SELECT a FROM over;
CREATE MATERIALIZED VIEW fresh AS SELECT a FROM t; CREATE VIEW good AS SELECT a FROM fresh;
"""


@pytest.mark.parametrize(
    "relation", [Table("empty"), Table("over"), Table("above"), Query("SELECT a FROM over")], ids=str
)
def test_what_needs_a_view_that_was_never_filled_is_refused_when_it_is_described(room: Any, relation: Any) -> None:
    room.run_sql(UNREADY)
    with pytest.raises(RivetError) as caught:
        room.columns(relation)
    assert caught.value.code == "RIVET_SOURCE_QUERY_FAILED"
    assert "empty" in caught.value.message
    assert "efresh the materialized view" in str(caught.value.remedy)
    room.run_sql("REFRESH MATERIALIZED VIEW empty")
    assert [*room.columns(relation)] == ["a"]


@pytest.mark.parametrize("table", ["fresh", "good", "t"])
def test_what_needs_none_is_described(room: Any, table: str) -> None:
    room.run_sql(UNREADY)
    assert [*room.columns(table)] == ["a"]


def test_partitions_and_children_are_read_with_their_parent(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE p (id int PRIMARY KEY) PARTITION BY RANGE (id);
        CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10); CREATE TABLE p2 PARTITION OF p DEFAULT;
        INSERT INTO p SELECT generate_series(1, 100); ANALYZE p1, p2;
        CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent);
        INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
        """
    )
    assert sorted(room.column("p", "id")) == list(range(1, 101))
    assert room.own.describe(Table("p"), ColumnRules()).estimated_rows == 100
    assert room.column("parent", "id") == [1, 1]


def test_dropped_columns_are_gone_and_generated_ones_are_there(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (a int, b int, c int GENERATED ALWAYS AS (a + 1) STORED);
        INSERT INTO t VALUES (1, 2);
        ALTER TABLE t DROP b;
        ALTER TABLE t ADD d int DEFAULT 5
        """
    )
    assert room.table("t").to_pylist() == [{"a": 1, "c": 2, "d": 5}]


def test_foreign_tables_are_read(room: Any) -> None:
    room.run_sql(
        f"""
        SET client_min_messages = error;
        CREATE EXTENSION IF NOT EXISTS file_fdw SCHEMA public;
        CREATE SERVER {room.schema}_files FOREIGN DATA WRAPPER file_fdw;
        CREATE FOREIGN TABLE f (a int) SERVER {room.schema}_files OPTIONS (program 'echo 7');
        """
    )
    assert room.column("f", "a") == [7]


def test_a_table_without_columns_is_refused(room: Any) -> None:
    room.run_sql("CREATE TABLE t ()")
    for relation in (Table("t"), Query("SELECT FROM t")):
        with pytest.raises(RivetError, match="no columns"):
            room.columns(relation)


def test_a_column_that_may_not_be_read_is_named(room: Any) -> None:
    room.run_sql(
        f"""
        CREATE TABLE t (open int, closed int); CREATE ROLE {room.schema}_reader LOGIN PASSWORD 'x';
        GRANT USAGE ON SCHEMA {room.schema} TO {room.schema}_reader; GRANT SELECT (open) ON t TO {room.schema}_reader;
        """
    )
    host = room.url.partition("@")[2]
    source = room.source_of(f"postgresql://{room.schema}_reader:x@{host}")
    with pytest.raises(RivetError, match="closed"):
        source.describe(Table("t"), ColumnRules())
    assert source.identity() == room.own.identity()
    source.close()
    room.run_sql(
        f"""
        REVOKE ALL ON t FROM {room.schema}_reader;
        REVOKE ALL ON SCHEMA {room.schema} FROM {room.schema}_reader;
        DROP ROLE {room.schema}_reader
        """
    )


@pytest.fixture
def guest(room: Any) -> Iterator[str]:
    """The URL of a user from whom a policy keeps half of the table ``t``."""
    room.run_sql(
        f"""
        CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2); CREATE TABLE whole AS SELECT 1 AS a;
        CREATE POLICY half ON t USING (a = 1); ALTER TABLE t ENABLE ROW LEVEL SECURITY;
        CREATE ROLE {room.schema}_guest LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA {room.schema} TO {room.schema}_guest;
        GRANT SELECT ON t, whole TO {room.schema}_guest;
        """
    )
    yield f"postgresql://{room.schema}_guest:x@{room.url.partition('@')[2]}"
    room.run_sql(f"DROP OWNED BY {room.schema}_guest; DROP ROLE {room.schema}_guest")


@pytest.mark.parametrize("relation", [Table("t"), Query("SELECT a FROM t")], ids=str)
def test_a_policy_that_would_cut_rows_is_refused_where_row_security_is_off(
    room: Any, guest: str, relation: Any
) -> None:
    with closing(room.source_of(guest.replace("options=", "options=-c%20row_security%3Doff%20"))) as source:
        with pytest.raises(RivetError, match="row-level security") as caught:
            source.describe(relation, ColumnRules())
        assert "BYPASSRLS" in str(caught.value.remedy)
        assert source.describe(Table("whole"), ColumnRules()).columns
    with closing(room.source_of(guest)) as source:
        assert source.describe(relation, ColumnRules()).columns


def test_a_table_whose_rows_a_policy_may_keep_back_says_so(room: Any, guest: str) -> None:
    with closing(room.source_of(guest)) as source:
        remarks = {name: source.describe(Table(name), ColumnRules()).remarks for name in ("t", "whole")}
    assert "row-level security" in " ".join(remarks["t"])
    assert remarks["whole"] == ()
    with closing(room.source()) as source:
        assert source.describe(Table("t"), ColumnRules()).remarks == ()


# -- queries ------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 AS a",
        "SELECT 1 AS a;",
        "SELECT 1 AS a -- the end",
        "SELECT 1 AS a; -- the end",
        "SELECT 1 AS a /* the end */ ; /* really */",
        "WITH x AS (SELECT 1 AS a) SELECT * FROM x ORDER BY a",
        "VALUES (1)",
        "(SELECT 1 AS a) UNION ALL (SELECT 1 WHERE false)",
        "TABLE one",
    ],
)
def test_a_query_may_look_as_it_likes(room: Any, text: str) -> None:
    room.run_sql("CREATE TABLE one (a int); INSERT INTO one VALUES (1)")
    assert room.table(Query(text)).columns[0].to_pylist() == [1]


@pytest.mark.parametrize(
    "text",
    ["SELECT 1; SELECT 2", "SHOW timezone", "SELECT nothing", "DELETE FROM one RETURNING *", "SELECT 1) AS x; --"],
)
def test_what_is_no_single_select_is_refused(room: Any, text: str) -> None:
    with pytest.raises(RivetError):
        room.columns(Query(text))


def test_a_query_cannot_write(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (a int);
        CREATE FUNCTION write() RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (1) RETURNING a'
        """
    )
    with pytest.raises(RivetError, match="read-only"):
        room.batches(Query("SELECT write() AS a"))
    assert room.psql_text("SELECT count(*) FROM t") == "0"


def test_two_columns_of_one_name_are_refused_by_name(room: Any) -> None:
    with pytest.raises(RivetError, match="called b"):
        room.columns(Query("SELECT 1 AS a, 2 AS b, 3 AS b"))


def test_a_name_of_ours_is_refused(room: Any) -> None:
    with pytest.raises(RivetError) as caught:
        room.columns(Query("SELECT 1 AS _rivet_key_0"))
    assert caught.value.code == "RIVET_CONFIG_META_COLUMN_COLLISION"


def test_a_query_has_the_types_of_its_expressions(room: Any) -> None:
    columns = room.columns(
        Query(
            "SELECT 1.50::numeric(5,2) AS a, sum(1.5) AS b, NULL AS c, 'x' AS d, row(1, 2) AS e,"
            " now() AS f, ARRAY[1] AS g"
        )
    )
    assert [column.field.type for column in columns.values()] == [
        pa.decimal128(5, 2), pa.string(), pa.string(), pa.string(), pa.string(), pa.timestamp("us", "UTC"),
        pa.list_(pa.int32()),
    ]  # fmt: skip


def test_describing_a_query_reads_nothing(room: Any) -> None:
    assert list(
        room.columns(Query("SELECT pg_sleep(600)::text AS a, 1 / (g - g) AS b FROM generate_series(1, 10000000000) g"))
    ) == ["a", "b"]


def test_a_column_that_changes_its_type_is_noticed(room: Any) -> None:
    room.run_sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
    request = request_of(room, "t")
    room.run_sql("ALTER TABLE t ALTER a TYPE bigint")
    assert changed(room, request) == "RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ"
    room.run_sql("ALTER TABLE t RENAME a TO b")
    assert changed(room, request) == "RIVET_SOURCE_COLUMNS_CHANGED_UNDER_READ"
    room.run_sql("DROP TABLE t")
    assert changed(room, request) == "RIVET_SOURCE_TABLE_NOT_FOUND"


def request_of(room: Any, table: str) -> Any:
    return ReadRequest(relation=Table(table), columns=tuple(room.columns(table).values()))


def changed(room: Any, request: Any) -> str:
    with pytest.raises(RivetError) as caught, room.own.read(request, ReadContext()) as batches:
        list(batches)
    return caught.value.code


# -- keys ---------------------------------------------------------------------


def test_keys_are_what_an_index_really_promises(room: Any) -> None:
    room.run_sql(
        """
        CREATE TABLE t (id int, a int NOT NULL, b text NOT NULL, c int, d text COLLATE "C" NOT NULL, e int NOT NULL,
            PRIMARY KEY (a, id));
        CREATE UNIQUE INDEX ON t (c); CREATE UNIQUE INDEX ON t (e) WHERE e > 0; CREATE UNIQUE INDEX ON t (lower(b));
        CREATE UNIQUE INDEX ON t (b text_pattern_ops); CREATE UNIQUE INDEX ON t (d) INCLUDE (b); CREATE INDEX ON t (e);
        CREATE UNIQUE INDEX ON t (b COLLATE "C"); CREATE INDEX ON t USING hash (e);
        """
    )
    keys = [
        (key.columns, key.unique, key.not_null, key.full, key.primary, key.pageable)
        for key in room.own.keys(Table("t"))
    ]
    assert keys[0] == (("a", "id"), True, True, True, True, True)
    assert keys[1] == (("d",), True, True, True, False, True)
    assert sorted(keys[2:]) == [
        (("c",), True, False, True, False, False),
        (("e",), False, True, True, False, False),
        (("e",), True, True, False, False, False),
    ]


def test_a_parents_index_says_nothing_of_its_children(room: Any) -> None:
    room.run_sql("CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent)")
    assert [key.pageable for key in room.own.keys(Table("parent"))] == [False]


def test_a_partitioned_tables_index_counts(room: Any) -> None:
    room.run_sql("CREATE TABLE p (id int PRIMARY KEY) PARTITION BY HASH (id)")
    assert [key.pageable for key in room.own.keys(Table("p"))] == [True]
    assert room.own.keys(Query("SELECT 1 AS a")) == ()
