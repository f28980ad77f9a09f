"""Values that their column's Arrow type cannot hold: refused by name, or NULL and counted, or text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e_command import Place, export, table
from e2e_reader import Delivered
from e2e_server_text import server_rows
from postgres_server import PostgresDatabase

#: Column type and the values that have no place in it. No other value of the server is refused: the tests of every
#: value hold all others.
HOLES: dict[str, tuple[str, ...]] = {
    "numeric(5,2)": ("NaN",),
    "numeric(38,0)": ("NaN",),
    "date": ("infinity", "-infinity"),
    "timestamp": ("infinity", "-infinity", "294276-12-31 23:59:59.999999", "294247-01-10 04:00:54.775808"),
    "timestamptz": ("infinity", "-infinity", "294276-12-31 23:59:59.999999+00"),
    "time": ("24:00:00",),
    "int[]": ("{{1,2},{3,4}}", "[3:4]={7,8}"),
    "text[]": ("{{a},{b}}", "[0:0]={a}"),
    "numeric(5,2)[]": ("{NaN}", "{{1}}"),
    "date[]": ("{infinity}",),
    "timestamp[]": ("{-infinity,NULL}",),
    "time[]": ("{24:00:00}",),
}
pytestmark = pytest.mark.slow

CASES = [(native, value) for native, values in HOLES.items() for value in values]


@pytest.fixture(scope="module")
def holes(make_database: Callable[[], PostgresDatabase]) -> PostgresDatabase:
    """A table for each value, with the value between two others."""
    database = make_database()
    database.run_sql(
        "".join(
            f"CREATE TABLE hole_{number} (id int, v {native});"
            f"INSERT INTO hole_{number} VALUES (1, NULL), (2, '{value}'), (3, NULL);"
            for number, (native, value) in enumerate(CASES)
        )
    )
    return database


@pytest.fixture(scope="module")
def outcomes(holes: PostgresDatabase, tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, dict[str, Any]]:
    """Every table under every policy, by one command."""
    place = Place(folder=tmp_path_factory.mktemp("holes"))
    place.configure(
        {"url": holes.url},
        [
            export(f"hole_{number}_{policy}", table(f"hole_{number}"), on_invalid_value=policy)
            for number in range(len(CASES))
            for policy in ("fail", "null", "text")
        ],
    )
    done = place.run("--summary-output", "summary.json")
    assert {one["place"]["field"] for one in done.error()["exports"]} == {"v"}
    found = json.loads((place.folder / "summary.json").read_text())
    return place, {one["export_name"]: one for one in found["per_export"]}


ids = [f"{native}={value}" for native, value in CASES]


@pytest.mark.parametrize("number", range(len(CASES)), ids=ids)
def test_a_value_without_a_place_fails_the_run(outcomes: tuple[Place, dict[str, Any]], number: int) -> None:
    place, found = outcomes
    outcome = found[f"hole_{number}_fail"]
    assert (outcome["exit_class"], outcome["error_code"]) == (5, "RIVET_SOURCE_VALUE_UNREPRESENTABLE")
    assert not (Path(place.prefix(f"hole_{number}_fail")) / "manifest.json").exists()


@pytest.mark.parametrize("number", range(len(CASES)), ids=ids)
def test_the_policy_null_replaces_it_and_counts_it(outcomes: tuple[Place, dict[str, Any]], number: int) -> None:
    place, found = outcomes
    native, value = CASES[number]
    outcome = found[f"hole_{number}_null"]
    assert (outcome["status"], outcome["nulled_cells"]) == ("success", {"v": 1})
    rows = Delivered.at(place.prefix(f"hole_{number}_null")).rows()
    inside = native.endswith("[]") and not value.startswith(("{{", "["))
    expected = [None] * value.count(",") + [None] if inside else None
    assert sorted(rows, key=str) == [("1", None), ("2", expected), ("3", None)]


@pytest.mark.parametrize("number", range(len(CASES)), ids=ids)
def test_the_policy_text_gives_the_servers_own(
    outcomes: tuple[Place, dict[str, Any]], holes: PostgresDatabase, number: int
) -> None:
    place, _ = outcomes
    delivered = Delivered.at(place.prefix(f"hole_{number}_text"))
    assert delivered.types()["v"] == "string"
    assert sorted(delivered.rows()) == sorted(server_rows(holes, f"SELECT * FROM hole_{number}"))
