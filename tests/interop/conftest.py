"""The Rust tool as a program, and a table of every type that both tools fold."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from interop_pair import Pair
from interop_tables import TABLES
from missing_servers import PREFIX
from postgres_server import PostgresServer

EXPORTS = """\
source: {type: postgres, url_env: DATABASE_URL}
exports:
  - {name: full, table: items, mode: full, format: parquet, destination: {type: local, path: out/full}}
  - name: incremental
    table: items
    mode: incremental
    cursor_column: id
    format: parquet
    meta_columns: {exported_at: true, row_hash: [id, name]}
    destination: {type: local, path: out/incremental}
  - name: chunked
    table: items
    mode: chunked
    chunk_column: id
    chunk_size: 400
    format: parquet
    destination: {type: local, path: out/chunked}
  - name: keyset
    table: items
    mode: chunked
    chunk_by_key: id
    chunk_size: 400
    format: parquet
    destination: {type: local, path: out/keyset}
  - name: window
    table: items
    mode: time_window
    time_column: moment
    days_window: 36500
    format: parquet
    destination: {type: local, path: out/window}
  - {name: nothing, query: SELECT * FROM items WHERE id < 0, mode: full, format: parquet,
     destination: {type: local, path: out/nothing}}
  - {name: text, query: "SELECT id, name, price, moment FROM items", mode: full, format: csv,
     destination: {type: local, path: out/text}}
"""

ITEMS = """
CREATE TABLE items (
    id bigint PRIMARY KEY, small smallint, medium integer, name text, price numeric(12, 2), wide numeric(50, 4),
    single real, double double precision, flag boolean, day date, clock time, local timestamp, moment timestamptz,
    code uuid, document jsonb, bytes bytea, numbers integer[], words text[]
);
INSERT INTO items SELECT
    g, g % 100, CASE WHEN g % 7 > 0 THEN g * 2 END, CASE WHEN g % 5 > 0 THEN 'näme ' || g || E'\\n,"' END, g * 1.25,
    g * 10.0 ^ 40, g / 7.0, g / 3.0, g % 2 = 0, date '2024-01-01' + g % 100, time '10:00' + (g % 1000) * interval '1 s',
    timestamp '2024-01-01' + g * interval '1 s', timestamptz '2024-01-01 00:00Z' + g * interval '1 min',
    md5(g::text)::uuid, jsonb_build_object('a', g), decode(md5(g::text), 'hex'), ARRAY[g, NULL, 3],
    CASE WHEN g % 3 > 0 THEN ARRAY['a' || g, NULL, ''] END
FROM generate_series(1, 1000) AS g;
"""


@attrs.frozen(kw_only=True)
class RustTool:
    """The program; a folder holds its configuration as ``rivet.yaml``."""

    path: str

    def run(self, folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.path, *arguments],
            cwd=folder,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def validate(self, prefix: Path, depth: str = "full") -> tuple[int, dict[str, Any]]:
        """Returns exit status and the verification of one local prefix."""
        folder = prefix.parent
        (folder / "validate.yaml").write_text(
            "source: {type: postgres, url: 'postgresql://nobody@127.0.0.1:1/none'}\n"
            "exports:\n"
            "  - {name: any, table: any, mode: full, format: parquet,"
            f" destination: {{type: local, path: {prefix.name}}}}}\n"
        )
        done = self.run(folder, "validate", "-c", "validate.yaml", "--format", "json", "--depth", depth)
        assert done.stdout.startswith("{"), done.stderr
        verification: dict[str, Any] = json.loads(done.stdout)["exports"][0]["verification"]
        return done.returncode, verification


@pytest.fixture(scope="session")
def rust_tool() -> RustTool:
    path = os.environ.get("RIVET_CLI")
    if not path:
        # Never an error: no session but interop promises this program.
        pytest.skip(f"{PREFIX}rivet-cli: set RIVET_CLI to its program, or run the session interop")
    return RustTool(path=path)


@pytest.fixture(scope="session")
def items(rust_tool: RustTool, postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a database with the table ``items``."""
    with postgres_server.database("rivet_interop", ITEMS) as made:
        yield made.url


@pytest.fixture(scope="session")
def exported(rust_tool: RustTool, items: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the Rust tool wrote, one prefix an export; not to be changed."""
    folder = tmp_path_factory.mktemp("rust")
    (folder / "rivet.yaml").write_text(EXPORTS)
    done = rust_tool.run(folder, "run", "-c", "rivet.yaml", DATABASE_URL=items)
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture
def copy_of(exported: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies one of the Rust tool's prefixes, to be damaged."""

    def copy(export: str) -> Path:
        return Path(shutil.copytree(exported / export, tmp_path / export))

    return copy


@pytest.fixture(scope="session")
def tables(rust_tool: RustTool, postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a database with the tables that configurations read; not to be changed."""
    with postgres_server.database("rivet_interop", TABLES) as made:
        yield made.url


@pytest.fixture
def pair(rust_tool: RustTool, tables: str, tmp_path: Path) -> Pair:
    """Both programs in new folders, over those tables."""
    return Pair(rust=rust_tool.path, folder=tmp_path, url=tables)


@pytest.fixture(scope="session")
def told() -> str:
    """What the documentation says of configurations."""
    document = Path(__file__).parents[2] / "docs" / "compatibility.md"
    return document.read_text(encoding="utf-8").partition("\n## Configuration\n")[2].partition("\n## ")[0]
