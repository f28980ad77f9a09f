"""Small inputs from public bug reports of other tools, each with its right result, through the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from e2e_command import Place, export, outcome, table
from e2e_reader import Delivered
from postgres_server import PostgresDatabase, PostgresServer


@pytest.fixture
def in_encoding(postgres_server: PostgresServer) -> Iterator[Callable[[str], PostgresDatabase]]:
    """Makes databases of an encoding."""
    with ExitStack() as made:
        yield lambda encoding: made.enter_context(postgres_server.database("rivet_encoded", encoding=encoding))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_texts_of_another_encoding_arrive_in_utf8(
    in_encoding: Callable[[str], PostgresDatabase], place: Place, kind: str
) -> None:
    database = in_encoding("LATIN1")
    database.run_sql(
        'CREATE TABLE texts (id int, t text, v varchar(9), c char(6), j json, a text[], "caf\u00e9" int);'
        "INSERT INTO texts VALUES (1, 'caf' || chr(233), chr(228), chr(246), '\"\\u00fc\"', ARRAY[chr(252)], 1)"
    )
    place.configure({"url": database.url}, [export("texts", table("texts"), format=kind, columns={"a": "text"})])
    done = place.run("--validate")
    assert done.code == 0, done.err
    delivered = Delivered.at(place.prefix("texts"))
    assert delivered.schema.names[-1] == "café"
    assert delivered.rows() == [("1", "café", "ä", "ö     ", '"\\u00fc"', "{ü}", "1")]


def test_bytes_that_are_no_text_are_refused_with_their_column(
    in_encoding: Callable[[str], PostgresDatabase], place: Place
) -> None:
    database = in_encoding("SQL_ASCII")
    database.run_sql("CREATE TABLE texts AS SELECT g AS id, 'plain ' || g AS t FROM generate_series(1, 3) g")
    place.configure({"url": database.url}, [export("texts", table("texts"))])
    assert place.run().code == 0
    before = Delivered.at(place.prefix("texts"))
    # The bytes of é in LATIN1; psql sends them unchanged.
    database.run_sql("INSERT INTO texts VALUES (4, 'caf' || chr(233))")
    done = place.run()
    assert done.failure() == (5, "RIVET_SOURCE_VALUE_UNREPRESENTABLE")
    assert done.error()["place"]["field"] == "t"
    assert Delivered.at(place.prefix("texts")) == before


def test_two_runs_of_one_second_share_no_name(postgres_database: PostgresDatabase, place: Place) -> None:
    postgres_database.run_sql("CREATE TABLE t20 AS SELECT generate_series(1, 300000)")
    place.configure({"url": postgres_database.url}, [export("t20", table("t20"), max_file_size="400KB")])
    runs = [place.run() for _ in range(2)]
    assert [done.code for done in runs] == [0, 0]
    manifests = [json.loads(path.read_text()) for path in sorted(place.prefix("t20").glob("manifest-*.json"))]
    assert {manifest["run_id"] for manifest in manifests} == {outcome(done)["run_id"] for done in runs}
    names = [part["path"] for manifest in manifests for part in manifest["parts"]]
    assert len(names) == len(set(names)) > 2
    for manifest in manifests:
        delivered = Delivered(
            manifest=manifest,
            files=tuple(str(place.prefix("t20") / part["path"]) for part in manifest["parts"]),
            schema=Delivered.at(place.prefix("t20")).schema,
        )
        assert {row[0] for row in delivered.rows()} == {str(number) for number in range(1, 300_001)}
        assert manifest["row_count"] == 300_000


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_no_rows_leave_the_prefix_untouched_when_that_is_wished(
    postgres_database: PostgresDatabase, place: Place, kind: str
) -> None:
    postgres_database.run_sql("CREATE TABLE t08 AS SELECT 1 AS id")
    place.configure({"url": postgres_database.url}, [export("t08", table("t08"), skip_empty=True, format=kind)])
    assert place.run().code == 0
    before = {path: path.read_bytes() for path in place.prefix("t08").iterdir() if path.is_file()}
    postgres_database.run_sql("DELETE FROM t08")
    done = place.run("--reconcile")
    assert (done.code, outcome(done)["status"]) == (0, "skipped"), done.err
    assert {path: path.read_bytes() for path in place.prefix("t08").iterdir() if path.is_file()} == before
