"""From the command line: a run into a folder that is verified to its values, and one to standard output."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import xxhash

CONFIG = """\
source: {type: sqlite, path: shop.db}
exports:
  - name: goods
    table: goods
    format: csv
    compression: none
    max_file_size: 100KB
    tuning: {batch_size: 500}
    meta_columns: {exported_at: true, row_hash: true}
    destination: {type: local, path: out/goods}
  - name: marked
    table: goods
    format: {type: csv, delimiter: ";", quote: "'", null_string: \\N, line_end: crlf, header: false}
    destination: {type: local, path: out/marked}
  - {name: nothing, query: SELECT * FROM goods WHERE id < 0, format: csv, destination: {type: local, path: out/nothing}}
  - {name: shown, table: goods, format: csv, destination: {type: stdout}}
"""
ROWS = 5000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    with closing(sqlite3.connect(folder / "shop.db")) as connection, connection:
        connection.execute(
            "CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL(10, 2), weight REAL, at TIMESTAMP,"
            " photo BLOB, sold BOOLEAN)"
        )
        connection.execute(
            "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) INSERT INTO goods SELECT n,"
            " CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN 'a;\"' || n || '\"''\n' ELSE 'ü' || n END,"
            " n / 4.0, n / 7.0, '1969-12-31 23:59:59.9', CAST(n AS BLOB), n % 2 FROM c",
            (ROWS,),
        )
    (folder / "rivet.yaml").write_text(CONFIG)
    return folder


def rivet(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {name: text for name, text in os.environ.items() if not name.startswith("RIVET_")}
    command = [sys.executable, "-m", "rivet_core", *arguments, "-c", "rivet.yaml"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=100, check=False)


def validate(folder: Path) -> dict[str, Any]:
    done = rivet(
        folder, "validate", "-e", "goods", "-e", "marked", "-e", "nothing", "--depth", "full", "--format", "json"
    )
    return {export["export_name"]: export["verification"] for export in json.loads(done.stdout)["exports"]}


@pytest.fixture(scope="module")
def exported(folder: Path) -> Path:
    """What a run wrote; not to be changed."""
    done = rivet(folder, "run", "-e", "goods", "-e", "marked", "-e", "nothing")
    assert done.returncode == 0, done.stderr
    return folder


def test_what_a_run_writes_is_verified_to_its_values(exported: Path) -> None:
    found = validate(exported)
    assert {name: (report["passed"], report["failures"]) for name, report in found.items()} == {
        "goods": (True, []),
        "marked": (True, []),
        "nothing": (True, []),
    }


def test_the_parts_hold_the_rows_each_with_a_header(exported: Path) -> None:
    parts = json.loads((exported / "out/goods/manifest.json").read_text())["parts"]
    assert len(parts) > 1
    ids = []
    for part in parts:
        with (exported / "out/goods" / part["path"]).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == part["rows"]
        ids += [int(row["id"]) for row in rows]
    assert ids == list(range(1, ROWS + 1))


def test_the_manifest_says_what_the_files_are(exported: Path) -> None:
    found = json.loads((exported / "out/goods/manifest.json").read_text())
    assert (found["format"], found["compression"]) == ("csv", "none")


def test_no_rows_leave_the_names(exported: Path) -> None:
    (path,) = (exported / "out/nothing").glob("*.csv")
    assert path.read_text() == "id,name,price,weight,at,photo,sold\n"


def test_a_value_that_is_not_that_of_its_row_is_found(exported: Path, tmp_path: Path) -> None:
    """The digest is made to agree, so that only the column's checksum is left to notice."""
    folder = Path(shutil.copytree(exported, tmp_path / "copy"))
    prefix = folder / "out/marked"
    text = (prefix / "manifest.json").read_text()
    manifest = json.loads(text)
    (part,) = manifest["parts"]
    path = prefix / part["path"]
    data = path.read_bytes()
    changed = data.replace(b";0.25;", b";0.26;", 1)
    assert changed != data
    path.write_bytes(changed)
    old = f"xxh3:{xxhash.xxh3_64_hexdigest(data)}"
    assert part["content_fingerprint"] == old
    manifest["parts"][0]["content_fingerprint"] = f"xxh3:{xxhash.xxh3_64_hexdigest(changed)}"
    manifest["parts"][0].pop("content_md5", None)
    sealed = json.dumps(manifest, indent=2).encode()
    for name in ("manifest.json", f"manifest-{manifest['run_id']}.json"):
        (prefix / name).write_bytes(sealed)
    (prefix / "_SUCCESS").write_text(f"xxh3:{xxhash.xxh3_64_hexdigest(sealed)}\n")
    found = validate(folder)["marked"]["failures"]
    assert [(failure["code"], failure["column"]) for failure in found] == [("RIVET_VERIFY_VALUE_CHECKSUM", "price")]


def test_a_run_to_standard_output_writes_the_table_and_nothing_else(folder: Path) -> None:
    done = rivet(folder, "run", "-e", "shown")
    assert done.returncode == 0, done.stderr
    header, *rows = csv.reader(io.StringIO(done.stdout.decode(), newline=""))
    assert header == ["id", "name", "price", "weight", "at", "photo", "sold"]
    assert [row[0] for row in rows] == [str(number) for number in range(1, ROWS + 1)]
    assert rows[1][1:6] == ['a;"2"\'\n', "0.50", repr(2 / 7), "1969-12-31T23:59:59.900000", "32"]
