"""Databases that are not in UTF-8."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import attrs
import pytest
from postgres_server import PostgresServer

from rivet_core.errors import RivetError

SOUND = """
    CREATE TABLE t18 (id int, s text, c char(3), j json, v varchar(9));
    INSERT INTO t18 VALUES (1, 'caf'||chr(233), 'a', '{}', NULL);
"""


@pytest.fixture
def rooms(postgres_server: PostgresServer, room: Any) -> Iterator[Any]:
    with ExitStack() as made:

        def make(encoding: str) -> Any:
            database = made.enter_context(postgres_server.database("rivet_encoded", encoding=encoding))
            source = made.enter_context(closing(room.source_of(database.url)))
            return attrs.evolve(room, database=database.name, own=source)

        yield make


def test_latin_text_arrives_in_utf8(rooms: Any) -> None:
    latin = rooms("LATIN1")
    latin.run_sql(SOUND + 'CREATE TABLE "Üñí" ("Ö" int); INSERT INTO "Üñí" VALUES (1)')
    assert latin.column("t18", "s")[0].encode() == b"caf\xc3\xa9"
    assert latin.table("Üñí").to_pylist() == [{"Ö": 1}]


def test_text_without_an_encoding_is_looked_at(rooms: Any) -> None:
    plain = rooms("SQL_ASCII")
    plain.run_sql(SOUND.replace("chr(233)", "chr(65)"))
    plain.run_sql(
        "SET client_encoding = SQL_ASCII; INSERT INTO t18 VALUES (2, E'\\xc3\\xa9', E'\\xc3\\xa9', '{\"a\" :1}', E'x ')"
    )
    found = plain.table("SELECT * FROM t18 ORDER BY id").to_pylist()
    # char(n) counts bytes there.
    assert found == [
        {"id": 1, "s": "cafA", "c": "a  ", "j": "{}", "v": None},
        {"id": 2, "s": "é", "c": "é ", "j": '{"a" :1}', "v": "x "},
    ]


def test_bytes_that_are_no_text_are_refused_with_their_column(rooms: Any) -> None:
    plain = rooms("SQL_ASCII")
    plain.run_sql(
        """
        SET client_encoding = SQL_ASCII;
        CREATE TABLE t (id int, good text, bad text);
        INSERT INTO t SELECT g, 'x', CASE WHEN g IN (70, 90) THEN E'caf\\xe9' END FROM generate_series(1, 100) g
        """
    )
    with pytest.raises(RivetError) as caught:
        plain.batches("t")
    assert caught.value.code == "RIVET_SOURCE_VALUE_UNREPRESENTABLE"
    assert caught.value.place is not None
    assert (caught.value.place.field, caught.value.place.value) == ("bad", "\\x636166e9")
    batches = plain.batches("t", on_invalid="null")
    assert batches[0].nulled == (("bad", 2),)
    assert batches[0].data.column("bad").null_count == 100
