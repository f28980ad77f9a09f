"""The same table as CSV by both programs: equal cells but for the spelling of some floats, and each verifies ours."""

from __future__ import annotations

import csv
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres_server import PostgresServer

KINDS = r"""
CREATE TABLE kinds (
    id int, flag boolean, small smallint, whole int, large bigint, single real, double double precision,
    price numeric(12, 2), huge numeric(38, 0), tiny numeric(20, 10), words text, short varchar(10), padded char(5),
    bytes bytea, day date, clock time, local timestamp, moment timestamptz, code uuid, document json,
    packed jsonb, span interval, "we,ird "" name" text
);
INSERT INTO kinds VALUES
(1, true, -32768, -2147483648, -9223372036854775808, 1.5, 1, 12.30, 12345678901234567890123456789012345678,
 0.0000000001, 'plain', 'v', 'c', '\x00ff', '2024-02-29', '23:59:59.999999', '2024-02-29 12:00', '2024-02-29 12:00+03',
 '00112233-4455-6677-8899-aabbccddeeff', '{"a": 1}', '{"a": 1}', '1 year 2 mons 3 days 04:05:06.7', 'x'),
(2, false, 32767, 2147483647, 9223372036854775807, 'NaN', 'NaN', -0.01, 0, -0.0000000001,
 '', '', '', '', '0001-01-01', '00:00', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00',
 'ffffffff-ffff-ffff-ffff-ffffffffffff', '[]', '"x"', '00:00', ''),
(3, NULL, NULL, NULL, NULL, 'Infinity', 'Infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
 NULL, NULL, NULL, NULL, NULL),
(4, true, 0, 0, 0, '-Infinity', '-Infinity', 0, 0, 0, 'a,b', 'a"b', 'a', '\xdeadbeef', '9999-12-31', '12:30:00.5',
 '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999+00', NULL, 'null', 'null', '-1 day', '=1+1'),
(5, true, 0, 0, 0, 1e-7, 1e300, 0, 0, 0, E'two\nlines', E'\r', ' x ', NULL, '0044-03-15 BC', '00:00:00.000001',
 '0044-03-15 BC', '0044-03-15 BC', NULL, NULL, NULL, '-1 year +02:00:00.000001', E'\t'),
(6, true, 0, 0, 0, 0.1, '-0', 0, 0, 0, 'NULL', '\N', '#', NULL, '10000-01-01', NULL, '10000-01-01', '10000-01-01', NULL,
 NULL, NULL, NULL, 'ü 日本 🐘');
CREATE TABLE one (words text);
INSERT INTO one VALUES ('a'), (NULL), (''), ('b'), (NULL);
"""
EXPORTS = """\
source: {type: postgres, url_env: DATABASE_URL}
exports:
  - {name: kinds, table: kinds, mode: full, format: csv, destination: {type: local, path: out/kinds}}
  - {name: one, table: one, mode: full, format: csv, compression: none, destination: {type: local, path: out/one}}
"""
OURS_ALONE = """\
  - {name: crlf, table: kinds, format: {type: csv, line_end: crlf, delimiter: ";"},
     destination: {type: local, path: out/crlf}}
  - {name: wide, query: "SELECT 1 AS id, 12345678901234567890123456789012345678901234567890::numeric(50, 0) AS n",
     columns: {n: "decimal(50,0)"}, format: csv, destination: {type: local, path: out/wide}}
  - {name: nothing, query: SELECT * FROM one WHERE false, format: csv, destination: {type: local, path: out/nothing}}
  - {name: undefined, query: "SELECT 'Infinity'::float8 - 'Infinity'::float8 AS n", format: csv,
     destination: {type: local, path: out/undefined}}
"""
FLOATS = {"single": "f", "double": "d"}


@pytest.fixture(scope="module")
def texts(rust_tool: Any, postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of a database with the two tables."""
    with postgres_server.database("rivet_interop", KINDS) as made:
        yield made.url


@pytest.fixture(scope="module")
def ours(texts: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    (folder / "rivet.yaml").write_text(EXPORTS + OURS_ALONE)
    for command in ("run", "validate"):
        done = subprocess.run(
            [sys.executable, "-m", "rivet_core", command, "-c", "rivet.yaml"],
            cwd=folder,
            env={**os.environ, "DATABASE_URL": texts},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "out"


@pytest.fixture(scope="module")
def theirs(rust_tool: Any, texts: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "rivet.yaml").write_text(EXPORTS)
    done = rust_tool.run(folder, "run", "-c", "rivet.yaml", DATABASE_URL=texts)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def part(prefix: Path) -> bytes:
    (path,) = prefix.glob("*.csv")
    return path.read_bytes()


def rows(prefix: Path) -> list[dict[str, str]]:
    (path,) = prefix.glob("*.csv")
    with path.open(newline="") as file:
        return list(csv.DictReader(file, strict=True))


def same_floats(row: dict[str, str]) -> dict[str, str]:
    """Return the row with the bits of its floats instead of their spelling."""
    bits = {name: struct.pack(code, float(row[name])).hex() for name, code in FLOATS.items() if row[name]}
    return {**row, **bits}


def test_a_column_of_text_is_written_alike_byte_for_byte(ours: Path, theirs: Path) -> None:
    assert part(ours / "one") == part(theirs / "one")


def test_every_other_scalar_is_written_alike_byte_for_byte(ours: Path, theirs: Path) -> None:
    """All lines before the fifth row, in which floats have many digits."""
    left, right = (part(out / "kinds").partition(b"\n5,true,")[0] for out in (ours, theirs))
    assert left == right
    assert left.count(b"\n") == 4


def test_all_cells_are_equal_once_floats_are_read(ours: Path, theirs: Path) -> None:
    left, right = rows(ours / "kinds"), rows(theirs / "kinds")
    assert [same_floats(row) for row in left] == [same_floats(row) for row in right]
    assert len(left) == 6


@pytest.mark.parametrize("depth", ["light", "sample", "full"])
@pytest.mark.parametrize("export", ["kinds", "one", "crlf", "wide", "nothing", "undefined"])
def test_the_rust_tool_finds_nothing_wrong(rust_tool: Any, ours: Path, export: str, depth: str) -> None:
    status, report = rust_tool.validate(ours / export, depth)
    assert (status, report["failures"], report["success_marker_consistent"]) == (0, [], True)


def test_a_decimal_beyond_what_the_other_tool_writes_has_all_digits(ours: Path) -> None:
    assert part(ours / "wide") == b"id,n\n1,12345678901234567890123456789012345678901234567890\n"


def test_a_compression_is_refused_by_both(rust_tool: Any, texts: str, tmp_path: Path) -> None:
    (tmp_path / "rivet.yaml").write_text(
        "source: {type: postgres, url_env: DATABASE_URL}\nexports:\n"
        "  - {name: one, table: one, mode: full, format: csv, compression: zstd,"
        " destination: {type: local, path: out}}\n"
    )
    theirs = rust_tool.run(tmp_path, "run", "-c", "rivet.yaml", DATABASE_URL=texts)
    command = [sys.executable, "-m", "rivet_core", "run", "-c", "rivet.yaml"]
    environment = {**os.environ, "DATABASE_URL": texts}
    ours = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False)
    assert (ours.returncode, theirs.returncode) == (1, 1)
