"""An empty schema for each test, in one database a session, and ways to look at what a source delivers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import attrs
import pyarrow as pa
import pytest
from postgres_server import PostgresServer

from rivet_core.errors import RivetError
from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest
from rivet_core.types import Column, ColumnRules, InvalidValue, Query, Relation, Secret, Table
from rivet_source_postgres.marks import KeyTypes
from rivet_source_postgres.options import PostgresOptions
from rivet_source_postgres.plugin import make_source

SCHEMA = "room"


@attrs.frozen(kw_only=True)
class Room:
    """A schema that is empty when a test begins; statements and sources find its tables without naming it."""

    server: PostgresServer
    database: str
    #: The source that reads for the tests; one, since connecting takes longer than most reads.
    own: Any
    schema: str = SCHEMA

    @property
    def url(self) -> str:
        return room_url(self.server, self.database)

    def run_sql(self, text: str) -> None:
        self.server.psql_text(text, url=self.url)

    def psql_text(self, query: str) -> str:
        return self.server.psql_text(query, url=self.url)

    def options(self, **keys: Any) -> PostgresOptions:
        return PostgresOptions(url=Secret(self.url), **keys)

    def source(self, **keys: Any) -> Any:
        return make_source(self.options(**keys))

    @staticmethod
    def source_of(url: str, **keys: Any) -> Any:
        return make_source(PostgresOptions(url=Secret(url), **keys))

    @contextmanager
    def locked(self, table: str) -> Iterator[None]:
        """Lets somebody else alter a table meanwhile."""
        command = [self.server.psql, "--no-psqlrc", "--quiet", "--tuples-only", f"--dbname={self.url}"]
        # The end of its input ends psql, and the lock.
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            holder.stdin.write(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 'held';\n")
            holder.stdin.flush()
            assert holder.stdout.readline().strip() == "held"
            yield

    def columns(self, relation: Relation | str, rules: ColumnRules | None = None) -> dict[str, Column]:
        described = self.own.describe(as_relation(relation), rules or ColumnRules())
        return {column.name: column for column in described.columns}

    def batches(
        self,
        relation: Relation | str,
        *,
        types: dict[str, str] | None = None,
        on_invalid: str = "fail",
        context: ReadContext | None = None,
        **request: Any,
    ) -> list[Batch]:
        """Describes and reads everything, and looks whether each batch is sound."""
        rules = ColumnRules(types=tuple((types or {}).items()), on_invalid=InvalidValue(on_invalid))
        columns = self.own.describe(as_relation(relation), rules).columns
        asked = ReadRequest(relation=as_relation(relation), columns=columns, **request)
        with self.own.read(asked, context or ReadContext()) as stream:
            batches = list(stream)
        for batch in batches:
            batch.data.validate(full=True)
            assert batch.data.schema == pa.schema([column.field for column in columns])
        return batches

    def table(self, relation: Relation | str, **keys: Any) -> pa.Table:
        return pa.Table.from_batches([batch.data for batch in self.batches(relation, **keys)])

    def column(self, relation: Relation | str, name: str, **keys: Any) -> list[Any]:
        """The values of one column as Python's; temporal ones as integers, since Python knows no year 0."""
        array = self.table(relation, **keys).column(name).combine_chunks()
        kind = array.type
        if pa.types.is_date32(kind):
            array = array.view(pa.int32())
        elif pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
            array = array.view(pa.int64())
        values: list[Any] = array.to_pylist()
        return values


def room_url(server: PostgresServer, database: str) -> str:
    return f"{server.database_url(database)}?options=-c%20search_path%3D{SCHEMA},public"


def as_relation(relation: Relation | str) -> Relation:
    if isinstance(relation, str):
        return Query(relation) if " " in relation else Table(relation)
    return relation


@pytest.fixture(scope="session")
def shared_database(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database("rivet_rooms") as made:
        yield made.name


@pytest.fixture(scope="session")
def shared_source(postgres_server: PostgresServer, shared_database: str) -> Iterator[Any]:
    source: Any = make_source(PostgresOptions(url=Secret(room_url(postgres_server, shared_database))))
    yield source
    source.close()


@pytest.fixture
def room(postgres_server: PostgresServer, shared_database: str, shared_source: Any) -> Room:
    made = Room(server=postgres_server, database=shared_database, own=shared_source)
    made.run_sql(f"SET client_min_messages = error; DROP SCHEMA IF EXISTS {SCHEMA} CASCADE; CREATE SCHEMA {SCHEMA}")
    # While it is connected, others connect faster; a test before may have ended its connection.
    with suppress(RivetError):
        shared_source.check()
    # The tables of the test before have the same names.
    shared_source._types = KeyTypes()
    return made
