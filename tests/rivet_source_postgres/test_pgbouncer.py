"""The same behind a real transaction pooler, which hands each transaction to whatever connection is free."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import pytest
from missing_servers import missing
from pgbouncer_binary import find_pgbouncer
from postgres_server import free_port, ordinary_user, spawn, stop

from rivet_core.requests import ColumnKey, ReadContext, ReadRequest
from rivet_core.types import ColumnRules, Table

CONFIGURATION = """
[databases]
{database} = host={host} port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
auth_type = plain
auth_file = users
pool_mode = transaction
default_pool_size = 2
unix_socket_dir =
{more}
"""


@pytest.fixture(params=["", "ignore_startup_parameters = options"], ids=["refusing", "ignoring"])
def pooler(room: Any, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a pooler that refuses settings while connecting, and of one that drops them."""
    binary = find_pgbouncer()
    if binary is None:
        missing("PgBouncer", "install the package pgbouncer")
    parts, own = urlsplit(room.url), free_port()
    with TemporaryDirectory(prefix="rivet-pgbouncer-") as name:
        folder, owner = Path(name), ordinary_user()
        keys = {"host": parts.hostname, "port": parts.port, "user": parts.username, "password": parts.password}
        text = CONFIGURATION.format(database=room.database, own=own, more=request.param, **keys)
        (folder / "pgbouncer.ini").write_text(text)
        (folder / "users").write_text(f'"{parts.username}" "{parts.password}"\n')
        for path in (folder, *folder.iterdir()):
            os.chown(path, owner.pw_uid, owner.pw_gid)
        process = spawn([binary, "pgbouncer.ini"], folder, owner, folder / "log")
        try:
            url = f"postgresql://{parts.username}:{parts.password}@127.0.0.1:{own}/{room.database}"
            until_it_answers(room, url)
            yield url
        finally:
            stop(process)


def until_it_answers(room: Any, url: str) -> None:
    for attempt in range(100):
        try:
            room.server.psql_text("SELECT 1", url=url)
        except AssertionError:
            if attempt == 99:
                raise
        else:
            return


def test_readers_at_one_time_each_get_everything(room: Any, pooler: str) -> None:
    room.run_sql(
        "CREATE TABLE t (id int PRIMARY KEY, i interval); INSERT INTO t SELECT g, '0.5 s' FROM generate_series(1, 99) g"
    )
    table, order = Table("t", room.schema), (ColumnKey("id"),)
    found: list[tuple[int, int, str]] = []

    def work() -> None:
        source = room.source_of(pooler)
        request = ReadRequest(relation=table, columns=source.describe(table, ColumnRules()).columns, order=order)
        for _ in range(5):
            with source.read(request, ReadContext()) as batches:
                (batch,) = batches
            text = batch.data.column("i")[0].as_py()
            found.append((batch.data.num_rows, source.count(request, ReadContext()), text))
        source.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(99, 99, "PT0.500000S")] * 20


def test_a_snapshot_holds_its_connection(room: Any, pooler: str) -> None:
    room.run_sql("CREATE TABLE t (id int); INSERT INTO t VALUES (1)")
    table = Table("t", room.schema)
    source = room.source_of(pooler)
    request = ReadRequest(relation=table, columns=source.describe(table, ColumnRules()).columns)
    with source.snapshot() as snapshot:
        room.run_sql("DELETE FROM t")
        assert source.count(request, ReadContext(snapshot=snapshot)) == 1
    assert source.count(request, ReadContext()) == 0
    source.close()
