"""``rivet init`` over PostgreSQL: the same, with schemas, a password and estimates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Rivet
    from postgres_server import PostgresDatabase, PostgresServer

SHOP = """
CREATE TABLE orders (
    id bigint PRIMARY KEY, amount numeric, price numeric(10,2), tags text[], places inet, updated_at timestamptz
);
INSERT INTO orders SELECT g, g * 1.5, g, '{a}', '10.0.0.1', now() FROM generate_series(1, 500) g;
CREATE SCHEMA old;
CREATE TABLE old.orders (id int); INSERT INTO old.orders VALUES (1);
CREATE TABLE "Odd ""Name"".${x}" ("a: b" numeric, "Case" int); INSERT INTO "Odd ""Name"".${x}" VALUES (1, 2);
CREATE VIEW late AS SELECT * FROM orders WHERE id > 490;
CREATE MATERIALIZED VIEW kept AS SELECT 1 AS i;
ANALYZE;
"""


@pytest.fixture
def database(postgres_database: PostgresDatabase, shop: Path) -> PostgresDatabase:
    postgres_database.run_sql(SHOP)
    (shop / "rivet.yaml").unlink()
    return postgres_database


def test_one_command_leads_to_files(
    rivet: Rivet, database: PostgresDatabase, rows: Callable[[str], int], shop: Path
) -> None:
    assert rivet("init", "--source", database.url).code == 0
    text = (shop / "rivet.yaml").read_text()
    assert rivet("check", "-c", "rivet.yaml", DATABASE_URL=database.url).code == 0
    assert rivet("run", "-c", "rivet.yaml", DATABASE_URL=database.url).code == 0
    names = {export["name"]: export["table"] for export in yaml.safe_load(text)["exports"]}
    assert names == {
        "public_orders": "public.orders",
        "old_orders": "old.orders",
        "Odd_Name_x": 'public."Odd ""Name"".$${x}"',
        "late": "public.late",
        "kept": "public.kept",
    }
    assert {name: rows(f"output/{name}") for name in names} == {
        "public_orders": 500,
        "old_orders": 1,
        "Odd_Name_x": 1,
        "late": 10,
        "kept": 1,
    }


def test_a_materialized_view_that_was_never_filled_is_left_out_with_the_reason(
    rivet: Rivet, database: PostgresDatabase, shop: Path
) -> None:
    database.run_sql("CREATE MATERIALIZED VIEW bare AS SELECT 1 AS i WITH NO DATA; CREATE VIEW above AS TABLE bare")
    done = rivet("init", "--source", database.url)
    text = (shop / "rivet.yaml").read_text()
    assert done.code == 0
    assert {"bare", "above"} & {export["name"] for export in yaml.safe_load(text)["exports"]} == set()
    assert [name for name in ("public.bare", "public.above") if f"left out {name}" not in done.err] == []
    assert "never been filled" in text.partition("Left out")[2]
    assert rivet("run", "-c", "rivet.yaml", DATABASE_URL=database.url).code == 0


def test_the_password_is_in_no_file_and_on_no_stream(rivet: Rivet, database: PostgresDatabase, shop: Path) -> None:
    password = urlsplit(database.url).password or ""
    done = rivet("init", "--source", database.url)
    assert done.code == 0
    files = [path.read_text() for path in shop.rglob("*") if path.is_file() and path.suffix != ".db"]
    assert [text for text in (*files, done.out, done.err) if password in text] == []
    assert yaml.safe_load(files[0])["source"] == {"type": "postgres", "url_env": "DATABASE_URL"}
    assert "export DATABASE_URL" in done.out


def test_the_variable_that_was_named_is_the_one_that_is_written(
    rivet: Rivet, database: PostgresDatabase, shop: Path
) -> None:
    done = rivet("init", "--source-env", "SHOP_URL", "--schema", "old", SHOP_URL=database.url)
    assert (done.code, "export SHOP_URL" in done.out) == (0, False)
    assert yaml.safe_load((shop / "rivet.yaml").read_text())["source"]["url_env"] == "SHOP_URL"
    assert rivet("check", "-c", "rivet.yaml", SHOP_URL=database.url).code == 0


def test_a_variable_that_leads_elsewhere_is_not_the_one_that_is_written(
    rivet: Rivet, database: PostgresDatabase, shop: Path, rows: Callable[[str], int]
) -> None:
    elsewhere = {"DATABASE_URL": "postgresql://nobody:x@127.0.0.1:1/other", "SOURCE_URL": "postgresql://b/b"}
    done = rivet("init", "--source", database.url, "--table", "public.orders", **elsewhere)
    assert done.code == 0
    named = yaml.safe_load((shop / "rivet.yaml").read_text())["source"]["url_env"]
    assert named == "SOURCE_URL_2"
    assert f"export {named}=" in done.out
    assert "DATABASE_URL holds something else" in done.err
    assert rivet("run", "-c", "rivet.yaml", **elsewhere, **{named: database.url}).code == 0
    assert rows("output/orders") == 500


@pytest.mark.parametrize("name", [(), ("--source-env", "SHOP_URL")], ids=["usual", "named"])
def test_a_variable_that_holds_the_given_url_is_written_and_not_asked_for_again(
    rivet: Rivet, database: PostgresDatabase, shop: Path, name: tuple[str, ...]
) -> None:
    named = name[-1] if name else "DATABASE_URL"
    done = rivet("init", "--source", database.url, *name, "--schema", "old", **{named: database.url})
    assert (done.code, "export " in done.out.partition("Next:")[2]) == (0, False)
    assert yaml.safe_load((shop / "rivet.yaml").read_text())["source"]["url_env"] == named


def test_a_url_that_the_named_variable_contradicts_is_refused(
    rivet: Rivet, database: PostgresDatabase, shop: Path
) -> None:
    options = ("--source", database.url, "--source-env", "SHOP_URL")
    done = rivet("init", *options, "--json-errors", SHOP_URL="postgresql://nobody:x@127.0.0.1:1/other")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OPTION_UNSUPPORTED")
    assert not (shop / "rivet.yaml").exists()


def test_a_schema_limits_what_is_exported(rivet: Rivet, database: PostgresDatabase, shop: Path) -> None:
    rivet("init", "--source", database.url, "--schema", "old")
    exports = yaml.safe_load((shop / "rivet.yaml").read_text())["exports"]
    assert [(export["name"], export["table"]) for export in exports] == [("orders", "old.orders")]


def test_columns_that_want_a_decision_are_marked_and_others_named(
    rivet: Rivet, database: PostgresDatabase, shop: Path
) -> None:
    rivet("init", "--source", database.url, "--table", "public.orders")
    text = (shop / "rivet.yaml").read_text()
    assert '    #   amount: "decimal(38,18)"\n' in text
    assert "price" not in text
    assert "places (inet" in text


def test_the_facts_of_the_catalogue_are_told(rivet: Rivet, database: PostgresDatabase) -> None:
    done = rivet("init", "--source", database.url, "--table", "public.orders", "--discover")
    (table,) = done.json()["tables"]
    assert (table["schema"], table["row_estimate"], table["suggested_mode"]) == ("public", 500, "full")
    assert table["total_bytes"] > 0
    assert [one["column"] for one in table["cursor_candidates"]] == ["updated_at", "id"]


def test_a_name_in_two_schemas_is_ambiguous(rivet: Rivet, database: PostgresDatabase) -> None:
    done = rivet("init", "--source", database.url, "--table", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_INIT_TABLE_AMBIGUOUS")


def test_a_partition_can_be_asked_for(rivet: Rivet, database: PostgresDatabase, shop: Path) -> None:
    database.run_sql(
        "CREATE TABLE days (i int) PARTITION BY RANGE (i);"
        "CREATE TABLE day1 PARTITION OF days FOR VALUES FROM (0) TO (9)"
    )
    assert rivet("init", "--source", database.url, "--table", "public.day1").code == 0
    assert yaml.safe_load((shop / "rivet.yaml").read_text())["exports"][0]["table"] == "public.day1"


def test_what_was_said_of_tls_is_written(rivet: Rivet, database: PostgresDatabase, shop: Path) -> None:
    assert rivet("init", "--source", database.url, "--tls", "disable").code == 0
    assert yaml.safe_load((shop / "rivet.yaml").read_text())["source"]["tls"] == {"mode": "disable"}


def test_a_table_that_may_only_be_read_in_part_is_left_out(
    rivet: Rivet, database: PostgresDatabase, shop: Path
) -> None:
    role = f"guest_{database.name}"
    database.run_sql(
        f"CREATE ROLE {role} LOGIN PASSWORD 'open sesame'; GRANT SELECT (id) ON orders TO {role};"
        f"GRANT SELECT ON kept TO {role}"
    )
    try:
        host = database.url.rpartition("@")[2]
        done = rivet("init", "--source", f"postgresql://{role}:open sesame@{host}")
    finally:
        database.run_sql(f"DROP OWNED BY {role}; DROP ROLE {role}")
    assert (done.code, "public.orders" in done.err) == (0, True)
    assert [export["name"] for export in yaml.safe_load((shop / "rivet.yaml").read_text())["exports"]] == ["kept"]


# -- what is wrong ----------------------------------------------------------


@pytest.mark.usefixtures("shop")
def test_a_server_elsewhere_is_not_asked_in_plaintext(rivet: Rivet) -> None:
    done = rivet("init", "--source", "postgresql://me:geheim@db.invalid/shop", "-o", "new.yaml")
    assert (done.code, "--tls verify-full" in done.err, "geheim" in done.err) == (1, True, False)


@pytest.mark.usefixtures("shop")
def test_a_mode_of_tls_that_there_is_not_is_told(rivet: Rivet) -> None:
    done = rivet("init", "--source", "postgresql://me@localhost/shop", "--tls", "perhaps", "-o", "new.yaml")
    assert (done.code, "verify-full" in done.err) == (1, True)


@pytest.mark.usefixtures("shop")
def test_a_server_that_does_not_answer_may_answer_later(rivet: Rivet) -> None:
    done = rivet("init", "--source", "postgresql://me:geheim@127.0.0.1:1/shop", "-o", "new.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (2, "RIVET_SOURCE_CONNECT_FAILED")
    assert "geheim" not in done.err


@pytest.mark.usefixtures("shop")
def test_a_wrong_password_is_told_and_not_shown(rivet: Rivet, postgres_server: PostgresServer) -> None:
    host = postgres_server.url.rpartition("@")[2]
    done = rivet("init", "--source", f"postgresql://rivet:g[eheim@{host}", "-o", "new.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_SOURCE_CREDENTIALS_INVALID")
    assert "g[eheim" not in done.err
