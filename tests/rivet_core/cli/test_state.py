from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rivet_core.cli.invocation import Invocation
from rivet_core.cli.loading import load_exports
from rivet_core.cli.signals import Signals
from rivet_core.engine.exports import ExportJob, run_exports
from rivet_core.engine.settings import Settings
from rivet_core.state import STATE_FILE, StateDatabase, reads

if TYPE_CHECKING:
    from conftest import Rivet


class Death(BaseException):
    """The process is gone: nothing of it may happen afterwards."""


def die_at(shop: Path, point: str) -> None:
    """Run the export of the orders up to a point of the durable order."""

    def probe(passed: str) -> None:
        if passed == point:
            raise Death

    invocation = Invocation(environ={}, signals=Signals())
    loaded = load_exports(invocation, str(shop / "rivet.yaml"), exports=("orders",))
    jobs = [ExportJob(intent=intent, declarations=loaded.declarations(intent)) for intent in loaded.intents]
    with StateDatabase(shop / STATE_FILE) as database:
        run_exports(jobs, database, Settings(probe=probe))


def unfinished(shop: Path) -> list[str]:
    with StateDatabase(shop / STATE_FILE) as database:
        return [run.id for row in reads.exports(database) if (run := reads.unfinished_run(database, row.id))]


@pytest.mark.parametrize("listing", ["show", "runs", "files"])
def test_a_state_that_is_not_there_is_empty_and_is_not_made(rivet: Rivet, shop: Path, listing: str) -> None:
    done = rivet("state", listing, "-c", "rivet.yaml", "--json")
    assert (done.code, done.json()) == (0, [])
    assert not (shop / STATE_FILE).exists()


@pytest.mark.parametrize("listing", ["show", "runs", "files"])
def test_a_listing_knows_what_ran(rivet: Rivet, listing: str) -> None:
    rivet("run", "-c", "rivet.yaml")
    found = rivet("state", listing, "-c", "rivet.yaml", "--json").json()
    assert sorted(row["export_name"] for row in found) == ["customers", "orders"]
    assert "orders" in rivet("state", listing, "-c", "rivet.yaml").out


@pytest.mark.parametrize("listing", ["show", "runs", "files"])
def test_a_listing_can_be_about_one_export(rivet: Rivet, listing: str) -> None:
    rivet("run", "-c", "rivet.yaml")
    found = rivet("state", listing, "-c", "rivet.yaml", "-e", "orders", "--json").json()
    assert [row["export_name"] for row in found] == ["orders"]


@pytest.mark.parametrize("listing", ["show", "runs", "files"])
@pytest.mark.parametrize("before", ["run", "check"])
def test_a_listing_refuses_an_unknown_export(rivet: Rivet, listing: str, before: str) -> None:
    rivet(before, "-c", "rivet.yaml", "-e", "customers")
    done = rivet("state", listing, "-c", "rivet.yaml", "-e", "ordres", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_EXPORT_UNKNOWN")


def test_a_listing_needs_no_secret_of_the_configuration(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    rivet("run", "-c", "rivet.yaml")
    configure((shop / "rivet.yaml").read_text().replace("path: shop.db", "path: ${UNSET}"))
    assert len(rivet("state", "runs", "-c", "rivet.yaml", "--json").json()) == 2


def test_a_limit_bounds_a_listing(rivet: Rivet) -> None:
    rivet("run", "-c", "rivet.yaml")
    assert len(rivet("state", "runs", "-c", "rivet.yaml", "--limit", "1", "--json").json()) == 1


def test_the_state_may_lie_elsewhere(rivet: Rivet, shop: Path) -> None:
    assert rivet("run", "-c", "rivet.yaml", RIVET_STATE_URL="sqlite:other.db").code == 0
    assert ((shop / "other.db").exists(), (shop / STATE_FILE).exists()) == (True, False)


def test_a_state_in_another_database_is_a_usage_error(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--json-errors", RIVET_STATE_URL="postgres://ada:hunter2@db/state")
    assert (done.code, done.error()["code"], "hunter2" in done.err) == (1, "RIVET_CLI_VALUE_INVALID", False)


def test_a_corrupt_state_file_is_exit_1(rivet: Rivet, shop: Path) -> None:
    (shop / STATE_FILE).write_bytes(b"this is no database" * 100)
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_STATE_FILE_CORRUPT")


def test_a_state_file_of_a_newer_rivet_is_exit_5(rivet: Rivet, shop: Path) -> None:
    rivet("run", "-c", "rivet.yaml")
    with closing(sqlite3.connect(shop / STATE_FILE)) as connection:
        connection.execute("PRAGMA user_version = 999")
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (5, "RIVET_STATE_SCHEMA_NEWER")


def test_a_state_file_that_another_program_holds_is_exit_2(rivet: Rivet, shop: Path) -> None:
    rivet("run", "-c", "rivet.yaml")
    held, free = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(shop / STATE_FILE, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            held.set()
            free.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--lock-wait", "0", "--json-errors")
    free.set()
    thread.join()
    assert (done.code, done.error()["code"]) == (2, "RIVET_STATE_DATABASE_LOCKED")


def test_a_reset_of_what_never_ran_says_so(rivet: Rivet, shop: Path) -> None:
    done = rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, done.out) == (0, "orders: nothing is recorded\n")
    assert not (shop / STATE_FILE).exists()


def test_a_reset_refuses_an_unknown_export(rivet: Rivet) -> None:
    done = rivet("state", "reset", "-c", "rivet.yaml", "-e", "ordres", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_EXPORT_UNKNOWN")


def test_a_reset_forgets_the_schema_of_the_last_success(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("mode: full", "mode: full\n    on_schema_drift: fail"))
    rivet("run", "-c", "rivet.yaml")
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("ALTER TABLE orders ADD COLUMN note TEXT")
    assert rivet("run", "-c", "rivet.yaml", "-e", "orders").code == 4
    done = rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, "forgot the schema of the last success\n" in done.out) == (0, True)
    assert rivet("run", "-c", "rivet.yaml", "-e", "orders").code == 0


def test_a_second_reset_has_nothing_to_forget(rivet: Rivet) -> None:
    rivet("run", "-c", "rivet.yaml", "-e", "orders")
    rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders")
    assert "there was nothing to forget" in rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders").out


@pytest.mark.parametrize("listing", ["runs", "files"])
def test_a_listing_of_no_rows_is_refused(rivet: Rivet, listing: str) -> None:
    done = rivet("state", listing, "-c", "rivet.yaml", "-l", "0", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_VALUE_INVALID")


def test_a_reset_leaves_what_was_written(rivet: Rivet, rows: Callable[[str], int]) -> None:
    rivet("run", "-c", "rivet.yaml")
    rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders")
    assert rows("out/orders") == 1000
    assert rivet("validate", "-c", "rivet.yaml", "-e", "orders").code == 0


def test_a_reset_abandons_an_unfinished_run_and_moves_its_parts_aside(
    rivet: Rivet, shop: Path, rows: Callable[[str], int]
) -> None:
    die_at(shop, "units_complete")
    (run_id,) = unfinished(shop)
    done = rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, f"abandoned {run_id}" in done.out) == (0, True)
    assert unfinished(shop) == []
    assert list((shop / "out" / "orders").glob("*.parquet")) == []
    assert len(list((shop / "out" / "orders" / "_quarantine" / run_id).iterdir())) == 1
    assert rivet("run", "-c", "rivet.yaml", "-e", "orders").code == 0
    assert rows("out/orders") == 1000


@pytest.mark.parametrize("point", ["sealing_recorded", "canonical_manifest_put", "success_put"])
def test_a_reset_refuses_a_run_that_can_only_be_completed(rivet: Rivet, shop: Path, point: str) -> None:
    die_at(shop, point)
    done = rivet("state", "reset", "-c", "rivet.yaml", "-e", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (5, "RIVET_STATE_RUN_SEALING")
    assert len(unfinished(shop)) == 1


def test_a_run_that_was_being_sealed_is_completed_and_told(rivet: Rivet, shop: Path) -> None:
    die_at(shop, "sealing_recorded")
    (run_id,) = unfinished(shop)
    summary = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json").json()
    assert summary["per_export"][0]["completed_runs"] == [run_id]


def test_a_run_with_recorded_parts_is_resumed_and_told(rivet: Rivet, shop: Path, rows: Callable[[str], int]) -> None:
    die_at(shop, "units_complete")
    (run_id,) = unfinished(shop)
    assert f"resumes   {run_id}" in rivet("check", "-c", "rivet.yaml", "-e", "orders").out
    summary = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json").json()["per_export"][0]
    assert (summary["run_id"], summary["resumed"], summary["rows"]) == (run_id, True, 1000)
    assert rows("out/orders") == 1000


def test_a_fresh_run_abandons_the_unfinished_one(rivet: Rivet, shop: Path) -> None:
    die_at(shop, "units_complete")
    (run_id,) = unfinished(shop)
    summary = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--fresh", "--json").json()["per_export"][0]
    assert summary["run_id"] != run_id
    assert run_id in summary["abandoned"]


def test_an_export_that_was_edited_over_recorded_parts_is_exit_5(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    die_at(shop, "units_complete")
    configure((shop / "rivet.yaml").read_text().replace("    table: orders", "    query: SELECT id FROM orders"))
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json-errors")
    assert (done.code, done.error()["code"]) == (5, "RIVET_STATE_PLAN_CHANGED")
    assert "--fresh" in done.error()["remedy"]
    assert rivet("check", "-c", "rivet.yaml", "-e", "orders").code == 5


def test_the_outcome_of_a_run_stays_in_the_state(rivet: Rivet) -> None:
    told = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json").json()["per_export"][0]
    kept = rivet("state", "runs", "-c", "rivet.yaml", "--json").json()[0]["outcome"]
    assert json.dumps(kept["rows"]) == json.dumps(told["rows"])
    assert kept["run_id"] == told["run_id"]
