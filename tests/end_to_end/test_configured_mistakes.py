"""Mistakes of the configuration as the real command tells them: exit 1, with path and line, and nothing written."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from e2e_command import Place
from postgres_server import PostgresDatabase

# Each case is a process, or many files: not for the inner loop.
pytestmark = pytest.mark.slow

EXPORT = "exports:\n  - name: a\n    table: t\n    format: csv\n    destination: {type: local, path: out}\n"
PARTS = "  type: postgres\n  host: localhost\n  user: u\n  database: d\n"
EARLY = {
    "a port that is none": ("  type: postgres\n  url: 'postgresql://u:p@h:port/db'\n", EXPORT, "source.url", 3),
    "an unknown parameter": ("  type: postgres\n  url: 'postgresql://u:p@h/db?foo=bar'\n", EXPORT, "source.url", 3),
    "an unset URL": ("  type: postgres\n  url_env: RIVET_TEST_UNSET\n", EXPORT, "source.url_env", 3),
    "an unset password": (PARTS + "  password_env: RIVET_TEST_UNSET\n", EXPORT, "source.password_env", 6),
    "no file": ("  type: postgres\n  url_file: absent.secret\n", EXPORT, "source.url_file", 3),
    "plaintext": (PARTS.replace("localhost", "far.example"), EXPORT, "source.tls", 1),
    "no authorities": (PARTS + "  tls:\n    ca_file: absent.pem\n", EXPORT, "source.tls.ca_file", 7),
    "no digests": (PARTS, EXPORT + "    verify: content\n", "exports[0].verify", 11),
    "no statement": (PARTS, EXPORT.replace("table: t", "query: ' ; -- x'"), "exports[0].query", 8),
    "statements": (PARTS, EXPORT.replace("table: t", "query: 'select 1; select 2'"), "exports[0].query", 8),
    "a negative scale": (PARTS, EXPORT + "    columns: {a: 'decimal(5,-2)'}\n", "exports[0].columns.a", 11),
}


def found(error: dict[str, Any]) -> list[tuple[str, int]]:
    places = error["problems"] if "problems" in error else [error["place"]]
    return [(place["path"], place["line"]) for place in places]


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(("source", "exports", "path", "line"), EARLY.values(), ids=EARLY)
def test_what_needs_no_server_is_refused_before_anything_is_written(
    place: Place, source: str, exports: str, path: str, line: int, command: str
) -> None:
    (place.folder / "rivet.yaml").write_text(f"source:\n{source}{exports}")
    done = place.rivet(command, "-c", "rivet.yaml", "--json-errors")
    assert (done.code, found(done.error())) == (1, [(path, line)])
    assert [file.name for file in place.folder.iterdir()] == ["rivet.yaml"]


@pytest.mark.parametrize("command", ["run", "check"])
def test_whether_a_query_of_sqlite_is_one_select_needs_no_file(place: Place, command: str) -> None:
    text = "source: {type: sqlite, path: d.db}\n" + EXPORT.replace("table: t", "query: select 1; select 2")
    (place.folder / "rivet.yaml").write_text(text)
    done = place.rivet(command, "-c", "rivet.yaml", "--json-errors")
    assert (done.code, found(done.error())) == (1, [("exports[0].query", 4)])
    assert [file.name for file in place.folder.iterdir()] == ["rivet.yaml"]


def test_what_is_known_together_is_told_together(place: Place) -> None:
    source = PARTS.replace("localhost", "far.example") + "  password_env: RIVET_TEST_UNSET\n"
    (place.folder / "rivet.yaml").write_text(f"source:\n{source}{EXPORT}    verify: content\n")
    done = place.rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert [path for path, _ in found(done.error())] == ["source.tls", "source.password_env", "exports[0].verify"]


@pytest.mark.parametrize("command", ["validate", "state runs"])
def test_commands_that_read_no_source_need_no_secret_of_it(place: Place, command: str) -> None:
    (place.folder / "rivet.yaml").write_text(f"source:\n  type: postgres\n  url_env: RIVET_TEST_UNSET\n{EXPORT}")
    done = place.rivet(*command.split(), "-c", "rivet.yaml")
    assert "RIVET_TEST_UNSET" not in done.err


WISHES = """    columns: {nope: int, never: text}
    on_invalid_value: {gone: text}
    meta_columns: {row_hash: [lost, id]}
    quality:
      null_ratio_max: {zip: 0.5}
      unique_columns: [zap]
"""


def test_every_unknown_column_is_told_at_once_with_its_line(postgres_database: PostgresDatabase, place: Place) -> None:
    postgres_database.run_sql("CREATE TABLE t (id int)")
    text = f"source:\n  type: postgres\n  url: '{postgres_database.url}'\n{EXPORT}{WISHES}"
    (place.folder / "rivet.yaml").write_text(text)
    for command in ("run", "check"):
        done = place.rivet(command, "-c", "rivet.yaml", "--json-errors")
        assert done.code == 1
        assert found(done.error()) == [
            ("exports.a.columns", 9),
            ("exports.a.on_invalid_value", 10),
            ("exports.a.meta_columns.row_hash", 11),
            ("exports.a.quality.null_ratio_max", 13),
            ("exports.a.quality.unique_columns", 14),
        ]
        assert [name in done.err for name in ("nope, never", "gone", "lost", "zip", "zap")] == [True] * 5
    assert "rivet.yaml:9:5, exports.a.columns" in place.rivet("run", "-c", "rivet.yaml").err


NAMED = {
    "no table": ("table: t", "exports.a.table"),
    "no column": ("query: select nope from pg_class", "exports.a.query"),
    "a file": ("query_file: q.sql", "exports.a.query_file"),
}


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(("way", "path"), NAMED.values(), ids=NAMED)
def test_what_the_server_refuses_to_read_has_the_line_of_the_key_that_names_it(
    postgres_database: PostgresDatabase, place: Place, way: str, path: str, command: str
) -> None:
    (place.folder / "q.sql").write_text("select nope from pg_class")
    source = f"source:\n  type: postgres\n  url: '{postgres_database.url}'\n"
    (place.folder / "rivet.yaml").write_text(source + EXPORT.replace("table: t", way))
    done = place.rivet(command, "-c", "rivet.yaml", "--json-errors")
    assert found(done.error()) == [(path, 6)]
    assert f"rivet.yaml:6:5, {path}" in place.rivet(command, "-c", "rivet.yaml").err


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("way", ["table: nope", "query: select nope from sqlite_master"])
def test_what_sqlite_refuses_to_read_has_its_line_too(place: Place, way: str, command: str) -> None:
    sqlite3.connect(place.folder / "d.db").close()
    text = "source: {type: sqlite, path: d.db}\n" + EXPORT.replace("table: t", way)
    (place.folder / "rivet.yaml").write_text(text)
    done = place.rivet(command, "-c", "rivet.yaml", "--json-errors")
    assert found(done.error()) == [(f"exports.a.{way.partition(':')[0]}", 4)]


def test_what_only_the_server_knows_has_its_line_too(postgres_database: PostgresDatabase, place: Place) -> None:
    postgres_database.run_sql("CREATE TABLE t (id int, _rivet_exported_at int)")
    source = f"source:\n  type: postgres\n  url: '{postgres_database.url}'\n"
    text = f"{source}{EXPORT}    meta_columns:\n      exported_at: true\n"
    (place.folder / "rivet.yaml").write_text(text)
    done = place.rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert found(done.error()) == [("exports.a.meta_columns", 9)]
