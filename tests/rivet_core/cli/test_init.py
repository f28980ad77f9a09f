"""``rivet init`` over SQLite: what it writes, ``check`` and ``run`` take as it stands."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from conftest import Ended, Rivet

URL = "sqlite:///shop.db"


@pytest.fixture
def bare(shop: Path) -> Path:
    """The shop without a configuration."""
    (shop / "rivet.yaml").unlink()
    return shop


@pytest.fixture
def init(rivet: Rivet, bare: Path) -> Callable[..., Ended]:
    return lambda *arguments, **variables: rivet("init", "--source", URL, *arguments, **variables)


@pytest.fixture
def run_sql(shop: Path) -> Callable[[str], None]:
    def run_sql(script: str) -> None:
        with closing(sqlite3.connect(shop / "shop.db")) as connection:
            connection.executescript(script)

    return run_sql


def written(folder: Path, name: str = "rivet.yaml") -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((folder / name).read_text())
    return found


def tables(folder: Path) -> list[str]:
    return [export["table"] for export in written(folder)["exports"]]


# -- what it writes ---------------------------------------------------------


def test_one_command_leads_to_files(init: Callable[..., Ended], rivet: Rivet, rows: Callable[[str], int]) -> None:
    assert init().code == 0
    assert rivet("check", "-c", "rivet.yaml", "--json-errors").code == 0
    assert rivet("run", "-c", "rivet.yaml").code == 0
    assert (rows("output/orders"), rows("output/customers")) == (1000, 2)


def test_odd_names_arrive_too(
    init: Callable[..., Ended], rivet: Rivet, rows: Callable[[str], int], run_sql: Callable[[str], None]
) -> None:
    run_sql(
        'CREATE TABLE "Odd ${x} ""n"": #\n" ("a: b" INTEGER, "${y}" NUMERIC);'
        'INSERT INTO "Odd ${x} ""n"": #\n" VALUES (1, 2)'
    )
    assert init("--include", "Odd*").code == 0
    assert rivet("run", "-c", "rivet.yaml").code == 0
    assert rows("output/Odd_x_n") == 1


def test_views_are_exported(init: Callable[..., Ended], bare: Path, run_sql: Callable[[str], None]) -> None:
    run_sql("CREATE VIEW late AS SELECT * FROM orders WHERE id > 990")
    init()
    assert tables(bare) == ["customers", "late", "orders"]


def test_only_what_was_asked_for_is_exported(init: Callable[..., Ended], bare: Path) -> None:
    assert init("--table", "orders", "--table", "orders").code == 0
    assert tables(bare) == ["orders"]


def test_patterns_choose_tables(init: Callable[..., Ended], bare: Path, run_sql: Callable[[str], None]) -> None:
    run_sql("CREATE TABLE orders_old (i INTEGER)")
    assert init("--include", "orders*", "--exclude", "*_old").code == 0
    assert tables(bare) == ["orders"]


def test_the_estimate_of_the_catalogue_is_told_and_nothing_is_counted(
    init: Callable[..., Ended], bare: Path, run_sql: Callable[[str], None]
) -> None:
    init("--table", "orders")
    assert "unknown number of rows" in (bare / "rivet.yaml").read_text()
    run_sql("CREATE INDEX names ON orders (name); ANALYZE")
    init("--table", "orders", "--force")
    assert "about 1,000 rows" in (bare / "rivet.yaml").read_text()


def test_a_column_that_wants_a_decision_is_marked_with_the_type_that_can_be_had(
    init: Callable[..., Ended], rivet: Rivet, bare: Path, run_sql: Callable[[str], None]
) -> None:
    run_sql("CREATE TABLE prices (id INTEGER PRIMARY KEY, amount NUMERIC); INSERT INTO prices VALUES (1, 2)")
    init("--table", "prices")
    text = (bare / "rivet.yaml").read_text()
    changed = text.replace("# columns:", "columns:").replace(
        '#   amount: "decimal(38,18)"', '  amount: "decimal(38,18)"'
    )
    assert changed != text
    (bare / "rivet.yaml").write_text(changed)
    columns = rivet("check", "-c", "rivet.yaml", "--json").json()[0]["columns"]
    assert {column["name"]: column["arrow_type"] for column in columns}["amount"] == "decimal128(38, 18)"


def test_the_meta_columns_that_the_table_has_itself_are_switched_off(
    init: Callable[..., Ended], rivet: Rivet, bare: Path, run_sql: Callable[[str], None]
) -> None:
    run_sql("CREATE TABLE loaded (id INTEGER, _rivet_row_hash INTEGER)")
    init("--table", "loaded")
    assert written(bare)["exports"][0]["meta_columns"] == {"exported_at": True, "row_hash": False}
    assert rivet("check", "-c", "rivet.yaml").code == 0


def test_mode_format_and_destination_are_those_that_were_asked_for(init: Callable[..., Ended], bare: Path) -> None:
    assert init("--mode", "full", "--format", "parquet", "--destination", "out/{date}").code == 0
    found = {(one["mode"], one["format"], one["destination"]["path"]) for one in written(bare)["exports"]}
    assert found == {("full", "parquet", "out/{date}/{export}")}


def test_a_large_table_gets_a_mode_that_something_installed_serves(
    init: Callable[..., Ended], rivet: Rivet, bare: Path, run_sql: Callable[[str], None]
) -> None:
    run_sql("CREATE INDEX names ON orders (name); ANALYZE; UPDATE sqlite_stat1 SET stat = '2000000 1'")
    assert init("--table", "orders").code == 0
    assert "about 2,000,000 rows" in (bare / "rivet.yaml").read_text()
    assert rivet("check", "-c", "rivet.yaml").code == 0


# -- what it leaves out -----------------------------------------------------


@pytest.fixture
def broken(run_sql: Callable[[str], None]) -> None:
    run_sql("CREATE TABLE gone (i INTEGER); CREATE VIEW broken AS SELECT * FROM gone; DROP TABLE gone")


@pytest.mark.usefixtures("broken")
def test_what_cannot_be_exported_is_left_out_and_said(init: Callable[..., Ended], rivet: Rivet, bare: Path) -> None:
    done = init()
    assert (done.code, "broken" in done.err) == (0, True)
    assert "# " in (bare / "rivet.yaml").read_text().partition("Left out")[2].partition("broken")[0]
    assert tables(bare) == ["customers", "orders"]
    assert rivet("check", "-c", "rivet.yaml").code == 0


@pytest.mark.usefixtures("broken")
def test_what_was_asked_for_by_name_is_not_left_out_in_silence(init: Callable[..., Ended], bare: Path) -> None:
    done = init("--table", "broken", "--table", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_SOURCE_QUERY_FAILED")
    assert not (bare / "rivet.yaml").exists()


def test_a_table_whose_columns_have_rivets_own_names_is_left_out(
    init: Callable[..., Ended], bare: Path, run_sql: Callable[[str], None]
) -> None:
    run_sql("CREATE TABLE t (_rivet_key_0 INTEGER)")
    assert "rivet uses" in init().err
    assert "t" not in tables(bare)


# -- where it writes --------------------------------------------------------


def test_a_file_that_is_there_is_kept(init: Callable[..., Ended], bare: Path) -> None:
    (bare / "rivet.yaml").write_text("by hand")
    done = init("--json-errors")
    assert (done.code, done.error()["code"]) == (5, "RIVET_INIT_CONFIG_EXISTS")
    assert (bare / "rivet.yaml").read_text() == "by hand"


def test_a_file_that_is_there_is_replaced_when_that_is_asked_for(init: Callable[..., Ended], bare: Path) -> None:
    (bare / "rivet.yaml").write_text("by hand")
    assert init("--force").code == 0
    assert tables(bare) == ["customers", "orders"]


def test_paths_are_those_of_the_files_own_folder(
    init: Callable[..., Ended], rivet: Rivet, bare: Path, rows: Callable[[str], int]
) -> None:
    (bare / "conf").mkdir()
    assert init("-o", "conf/shop.yaml").code == 0
    assert written(bare, "conf/shop.yaml")["source"]["path"] == "../shop.db"
    assert rivet("run", "-c", "conf/shop.yaml").code == 0
    assert rows("conf/output/orders") == 1000


def test_an_absolute_path_stays_absolute(rivet: Rivet, bare: Path) -> None:
    assert rivet("init", "--source", f"sqlite:///{bare}/shop.db").code == 0
    assert written(bare)["source"]["path"] == f"{bare}/shop.db"


def test_a_folder_that_is_not_there_is_told(init: Callable[..., Ended]) -> None:
    done = init("-o", "nowhere/rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OUTPUT_UNWRITABLE")


def test_a_variable_is_named_and_its_value_is_nowhere(rivet: Rivet, bare: Path) -> None:
    assert rivet("init", "--source-env", "SHOP", SHOP=URL).code == 0
    assert URL not in (bare / "rivet.yaml").read_text()
    assert rivet("check", "-c", "rivet.yaml").code == 1
    assert rivet("check", "-c", "rivet.yaml", SHOP=URL).code == 0


def test_the_usual_variable_is_taken_where_nothing_is_said(rivet: Rivet, bare: Path) -> None:
    assert rivet("init", DATABASE_URL=URL).code == 0
    assert "${DATABASE_URL}" in (bare / "rivet.yaml").read_text()


# -- discovery --------------------------------------------------------------


def test_discovery_is_json_and_writes_nothing(init: Callable[..., Ended], bare: Path) -> None:
    done = init("--discover")
    assert (done.code, (bare / "rivet.yaml").exists()) == (0, False)
    assert [table["table"] for table in done.json()["tables"]] == ["customers", "orders"]


def test_discovery_has_the_fields_that_programs_know(init: Callable[..., Ended]) -> None:
    found = init("--discover", "--table", "orders").json()
    assert set(found) == {"rivet_version", "source_type", "scope", "tables"}
    (table,) = found["tables"]
    assert set(table) == {
        "schema",
        "table",
        "kind",
        "row_estimate",
        "total_bytes",
        "suggested_mode",
        "cursor_candidates",
        "suggested_cursor_fallback_column",
        "chunk_candidates",
        "notes",
    }
    assert set(table["cursor_candidates"][0]) == {
        "column",
        "data_type",
        "is_nullable",
        "is_primary_key",
        "score",
        "reasons",
    }


@pytest.mark.usefixtures("broken")
def test_discovery_tells_of_what_cannot_be_exported(init: Callable[..., Ended]) -> None:
    found = {table["table"]: table for table in init("--discover").json()["tables"]}
    assert (found["broken"]["suggested_mode"], bool(found["broken"]["notes"])) == (None, True)


def test_discovery_goes_into_a_file_when_one_is_named(init: Callable[..., Ended], bare: Path) -> None:
    assert init("--discover", "-o", "found.json").code == 0
    assert '"source_type": "sqlite"' in (bare / "found.json").read_text()


# -- what is wrong ----------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--source", "shop.db"), "RIVET_CONFIG_SOURCE_URL_INVALID"),
        (("--source", "sqlite://host/shop.db"), "RIVET_CONFIG_SOURCE_URL_INVALID"),
        (("--source", "duckdb:///shop.db"), "RIVET_PLUGIN_MISSING"),
        (("--source", "sqlite:///ghost.db"), "RIVET_SOURCE_CONNECT_FAILED"),
        (("--source", "sqlite:///shop.db", "--tls", "require"), "RIVET_CLI_OPTION_UNSUPPORTED"),
        (("--source", URL, "--table", "ordres"), "RIVET_SOURCE_TABLE_NOT_FOUND"),
        (("--source", URL, "--table", "a.b.c"), "RIVET_CLI_VALUE_INVALID"),
        (("--source", URL, "--include", "ghost*"), "RIVET_INIT_NO_TABLES"),
        (("--source", URL, "--schema", "ghost"), "RIVET_INIT_NO_TABLES"),
        (("--source", URL, "--table", "orders", "--include", "*"), "RIVET_CLI_OPTION_UNSUPPORTED"),
        (("--source", URL, "--discover", "--mode", "full"), "RIVET_CLI_OPTION_UNSUPPORTED"),
        (("--source", URL, "--mode", "ghost"), "RIVET_PLUGIN_MISSING"),
        (("--source", URL, "--format", "ghost"), "RIVET_PLUGIN_MISSING"),
        (("--source-env", "NOT_SET_ANYWHERE"), "RIVET_CONFIG_SECRET_UNSET"),
    ],
)
@pytest.mark.usefixtures("bare")
def test_a_mistake_is_told_by_its_code(rivet: Rivet, arguments: tuple[str, ...], code: str, bare: Path) -> None:
    done = rivet("init", *arguments, "--json-errors")
    assert (done.code, done.error()["code"]) == (1, code)
    assert done.error()["remedy"]
    assert not (bare / "rivet.yaml").exists()


def test_a_misspelt_table_is_told_with_the_one_that_was_meant(init: Callable[..., Ended]) -> None:
    assert "did you mean 'orders'?" in init("--table", "ordres").err


def test_an_empty_database_has_nothing_to_export(rivet: Rivet, bare: Path) -> None:
    with closing(sqlite3.connect(bare / "empty.db")) as connection:
        connection.execute("PRAGMA user_version = 1")
    done = rivet("init", "--source", "sqlite:///empty.db", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_INIT_NO_TABLES")


def test_a_destination_that_climbs_out_is_refused(init: Callable[..., Ended], bare: Path) -> None:
    done = init("--destination", "../elsewhere")
    assert (done.code, "climbs out" in done.err) == (1, True)
    assert not (bare / "rivet.yaml").exists()


@pytest.mark.parametrize("question", ["check", "identity", "relations", "describe"])
def test_a_source_that_says_nothing_is_not_waited_for(
    question: str, init: Callable[..., Ended], silence: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rivet_core.cli.initialising._ANSWER_SECONDS", 1)
    silence(question)
    assert init("--table", "orders", "--json-errors").error()["code"] == "RIVET_SOURCE_STATEMENT_TIMEOUT"
