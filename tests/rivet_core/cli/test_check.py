from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rivet_core.state import STATE_FILE

if TYPE_CHECKING:
    from conftest import Rivet


@pytest.fixture
def odd(shop: Path) -> Path:
    """The shop whose customers have a column of a type that arrives as text."""
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("DROP TABLE customers")
        connection.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, born ANYTHING_ELSE)")
    return shop


def test_nothing_is_written(rivet: Rivet, shop: Path) -> None:
    assert rivet("check", "-c", "rivet.yaml").code == 0
    assert sorted(path.name for path in shop.iterdir()) == ["rivet.yaml", "shop.db"]


def test_the_table_of_runners_is_shown(rivet: Rivet) -> None:
    found = rivet("check", "-c", "rivet.yaml", "-e", "orders", "--json").json()
    assert found[0]["runners"] == [{"runner": "full", "reason": None}]


def test_the_promise_is_shown(rivet: Rivet) -> None:
    assert "at least once" in rivet("check", "-c", "rivet.yaml").out.partition("promise")[2]


def test_a_promise_that_exports_share_is_said_once(rivet: Rivet, shop: Path, configure: Callable[[str], None]) -> None:
    text = (shop / "rivet.yaml").read_text()
    configure(text + "  - {name: piped, table: orders, mode: full, format: csv, destination: {type: stdout}}\n")
    lines = rivet("check", "-c", "rivet.yaml").out.splitlines()
    assert [line for line in lines if line.startswith("promise")] == [
        "promise for orders, customers",
        "promise for piped",
    ]
    said = [line for line in lines if line.startswith("  - ")]
    assert len(said) == len(set(said)) > 3


def test_a_type_report_lists_every_column(rivet: Rivet) -> None:
    shown = rivet("check", "-c", "rivet.yaml", "-e", "orders", "--type-report").out
    assert [name for name in ("id", "name", "amount") if f"\n    {name} " not in shown] == []


def test_columns_that_arrive_exactly_are_only_counted(rivet: Rivet) -> None:
    shown = rivet("check", "-c", "rivet.yaml", "-e", "orders").out
    assert "columns: 3 exact" in shown
    assert "\n    amount " not in shown


def test_json_tells_each_column_with_its_fidelity(rivet: Rivet) -> None:
    columns = rivet("check", "-c", "rivet.yaml", "-e", "orders", "--json").json()[0]["columns"]
    told = {(column["name"], column["native_type"], column["arrow_type"], column["fidelity"]) for column in columns}
    assert ("amount", "REAL", "double", "exact") in told


def test_a_column_that_does_not_arrive_exactly_is_named(rivet: Rivet, odd: Path) -> None:
    done = rivet("check", "-c", "rivet.yaml", "-e", "customers", "--json")
    assert {column["name"] for column in done.json()[0]["columns"] if column["fidelity"] != "exact"} == {"born"}


def test_strict_refuses_it(rivet: Rivet, odd: Path) -> None:
    done = rivet("check", "-c", "rivet.yaml", "--strict", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_TYPE_UNSAFE_MAPPING")
    assert rivet("run", "-c", "rivet.yaml", "-e", "customers", "--strict").code == 1


def test_a_missing_table_is_exit_1_and_the_others_are_still_checked(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("table: orders", "table: ghosts"))
    done = rivet("check", "-c", "rivet.yaml")
    assert (done.code, "customers: ok" in done.out) == (1, True)
    assert "orders: not ready [RIVET_SOURCE_TABLE_NOT_FOUND]" in done.out


def test_a_change_since_the_last_success_is_shown(rivet: Rivet, shop: Path) -> None:
    rivet("run", "-c", "rivet.yaml")
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("ALTER TABLE orders ADD COLUMN note TEXT")
    found = rivet("check", "-c", "rivet.yaml", "-e", "orders", "--json").json()
    assert ["note" in change for change in found[0]["schema_changes"]] == [True]
    assert (shop / STATE_FILE).exists()


def test_a_change_that_must_not_be_is_exit_4_like_the_run(
    rivet: Rivet, shop: Path, configure: Callable[[str], None]
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("mode: full", "mode: full\n    on_schema_drift: fail"))
    rivet("run", "-c", "rivet.yaml")
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("ALTER TABLE orders ADD COLUMN note TEXT")
    assert rivet("check", "-c", "rivet.yaml", "-e", "orders").code == 4
