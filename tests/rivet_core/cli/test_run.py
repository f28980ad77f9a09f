from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from conftest import Rivet

BROKEN = """\
source: {type: sqlite, path: shop.db}
exports:
  - name: orders
    table: orders
    mode: full
    format: parquet
    destination: {type: local, path: out/orders}
  - name: ghosts
    table: ghosts
    mode: full
    format: parquet
    destination: {type: local, path: out/ghosts}
  - name: customers
    table: customers
    mode: full
    format: parquet
    destination: {type: local, path: out/customers}
"""
PIPED = """\
source: {type: sqlite, path: shop.db}
exports:
  - name: orders
    table: orders
    mode: full
    format: parquet
    destination: {type: stdout}
"""


def one_export(**keys: str) -> str:
    """A configuration of one export, some of its lines written otherwise."""
    lines = {
        "name": "orders",
        "table": "orders",
        "mode": "full",
        "format": "parquet",
        "destination": "{type: local, path: out/orders}",
    } | keys
    body = "\n    ".join(f"{key}: {value}" for key, value in lines.items())
    return f"source: {{type: sqlite, path: shop.db}}\nexports:\n  - {body.strip()}\n"


def test_every_export_is_written(spawn: Rivet, rows: Callable[[str], int]) -> None:
    assert spawn("run", "-c", "rivet.yaml").code == 0
    assert (rows("out/orders"), rows("out/customers")) == (1000, 2)


def test_the_report_is_on_standard_output_and_the_progress_is_not(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders")
    assert "orders: success\n" in done.out
    assert "1,000 in 1 part" in done.out
    assert "opened: full, 1 unit" in done.err
    assert "opened" not in done.out


def test_the_report_says_what_to_do_next(rivet: Rivet) -> None:
    assert "rivet validate -c rivet.yaml" in rivet("run", "-c", "rivet.yaml").out.partition("Next:")[2]


def test_quiet_leaves_standard_error_empty(rivet: Rivet) -> None:
    assert rivet("run", "-c", "rivet.yaml", "-q").err == ""


def test_only_the_named_exports_run(rivet: Rivet, shop: Path) -> None:
    assert rivet("run", "-c", "rivet.yaml", "-e", "customers").code == 0
    assert not (shop / "out" / "orders").exists()


def test_the_configuration_may_lie_in_another_folder(
    rivet: Rivet, shop: Path, rows: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "elsewhere").mkdir()
    monkeypatch.chdir(shop / "elsewhere")
    assert rivet("run", "-c", "../rivet.yaml").code == 0
    assert rows("out/orders") == 1000
    assert (shop / ".rivet-state.sqlite").exists()


def test_one_failing_export_does_not_stop_the_others(
    rivet: Rivet, configure: Callable[[str], None], rows: Callable[[str], int]
) -> None:
    configure(BROKEN)
    done = rivet("run", "-c", "rivet.yaml")
    assert done.code == 1
    assert (rows("out/orders"), rows("out/customers")) == (1000, 2)


def test_a_missing_table_is_named_with_its_code(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(BROKEN)
    done = rivet("run", "-c", "rivet.yaml")
    assert "Error: [RIVET_SOURCE_TABLE_NOT_FOUND]" in done.err
    assert "ghosts: refused [RIVET_SOURCE_TABLE_NOT_FOUND]" in done.out


def test_json_errors_name_the_worst_and_every_one(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(BROKEN)
    told = rivet("run", "-c", "rivet.yaml", "--json-errors").error()
    assert (told["exit_class"], told["code"]) == (1, "RIVET_SOURCE_TABLE_NOT_FOUND")
    assert [one["code"] for one in told["exports"]] == ["RIVET_SOURCE_TABLE_NOT_FOUND"]


def test_the_json_summary_counts_what_happened(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(BROKEN)
    summary = rivet("run", "-c", "rivet.yaml", "--json").json()
    counted = ("total_exports", "success_count", "failed_count", "skipped_count", "total_rows", "exit_class")
    assert [summary[name] for name in counted] == [3, 2, 1, 0, 1002, 1]
    assert [one["status"] for one in summary["per_export"]] == ["success", "refused", "success"]


def test_the_summary_goes_into_a_file_too(rivet: Rivet, shop: Path) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--json", "--summary-output", "summary.json")
    assert json.loads((shop / "summary.json").read_text()) == done.json()


def test_a_summary_without_a_place_is_refused_before_anything_runs(rivet: Rivet, shop: Path) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--summary-output", "absent/summary.json", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OUTPUT_UNWRITABLE")
    assert not (shop / "out").exists()


def test_each_run_leaves_its_own_report(rivet: Rivet, shop: Path) -> None:
    run_id = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json").json()["per_export"][0]["run_id"]
    folder = shop / ".rivet" / "runs" / run_id
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["status"], summary["total_rows"], summary["resumable"]) == ("success", 1000, False)
    assert "| rows | 1,000 |" in (folder / "summary.md").read_text()


def test_validation_after_the_run_is_in_the_report(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--validate", "--json")
    assert [one["validation"]["passed"] for one in done.json()["per_export"]] == [True, True]


def test_exports_can_run_beside_each_other(rivet: Rivet, rows: Callable[[str], int]) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--parallel-exports", "--json")
    assert (done.code, done.json()["parallel_mode"]) == (0, "threads")
    assert [one["export_name"] for one in done.json()["per_export"]] == ["orders", "customers"]
    assert (rows("out/orders"), rows("out/customers")) == (1000, 2)


def test_an_unknown_export_is_named_with_the_known_ones(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "-e", "order")
    assert (done.code, "RIVET_CLI_EXPORT_UNKNOWN" in done.err, "orders" in done.err) == (1, True, True)


def test_a_missing_configuration_is_exit_1(rivet: Rivet) -> None:
    done = rivet("run", "-c", "absent.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CONFIG_FILE_UNREADABLE")


def test_every_problem_of_a_configuration_is_told_at_once(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(one_export(tabel="orders", formt="csv"))
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CONFIG_YAML_INVALID")
    assert sorted(problem["path"].rpartition(".")[2] for problem in done.error()["problems"]) == ["formt", "tabel"]


def test_an_unset_variable_is_named(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(one_export(table="${TABLE}"))
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"], "TABLE" in done.error()["error"]) == (1, "RIVET_CONFIG_SECRET_UNSET", True)


def test_a_param_goes_before_the_environment(
    rivet: Rivet, configure: Callable[[str], None], rows: Callable[[str], int]
) -> None:
    configure(one_export(table="${TABLE}"))
    assert rivet("run", "-c", "rivet.yaml", "-p", "TABLE=customers", TABLE="orders").code == 0
    assert rows("out/orders") == 2


def test_a_param_that_nothing_asks_for_is_a_warning(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "-p", "TABEL=orders")
    assert (done.code, "Warning:" in done.err, "TABEL" in done.err) == (0, True, True)


def test_a_missing_database_is_exit_1_and_makes_none(rivet: Rivet, shop: Path) -> None:
    (shop / "shop.db").unlink()
    done = rivet("run", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, (shop / "shop.db").exists()) == (1, False)


def test_a_destination_below_a_file_is_exit_1(rivet: Rivet, configure: Callable[[str], None], shop: Path) -> None:
    (shop / "taken").write_text("a file")
    configure(one_export(destination="{type: local, path: taken/orders}"))
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_DEST_NOT_WRITABLE")


def test_a_destination_that_cannot_be_written_is_exit_1(rivet: Rivet, configure: Callable[[str], None]) -> None:
    # Rights do not stop the superuser, who may run the tests; this file system stops everybody.
    configure(one_export(destination="{type: local, path: /sys/rivet/orders}"))
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_DEST_NOT_WRITABLE")


def test_resume_is_accepted_and_said_to_change_nothing(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--resume", "--force")
    assert (done.code, "--resume changes nothing" in done.err) == (0, True)


def test_fresh_and_resume_contradict_each_other(rivet: Rivet) -> None:
    done = rivet("run", "-c", "rivet.yaml", "--fresh", "--resume", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OPTION_UNSUPPORTED")


def test_a_failing_gate_is_exit_3_and_leaves_the_last_good_data(
    rivet: Rivet, configure: Callable[[str], None], rows: Callable[[str], int], shop: Path
) -> None:
    configure(one_export(quality="{row_count_min: 10}"))
    assert rivet("run", "-c", "rivet.yaml").code == 0
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("DELETE FROM orders WHERE id > 3")
    done = rivet("run", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (3, "RIVET_RUN_GATE_FAILED")
    assert rows("out/orders") == 1000


def test_a_changed_schema_is_exit_4_where_it_must_not_change(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    configure(one_export(on_schema_drift="fail"))
    assert rivet("run", "-c", "rivet.yaml").code == 0
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute("ALTER TABLE orders ADD COLUMN note TEXT")
    assert rivet("run", "-c", "rivet.yaml").code == 4


def test_the_worst_exit_wins(rivet: Rivet, configure: Callable[[str], None]) -> None:
    gate = BROKEN.replace("    table: customers\n", "    table: customers\n    quality: {row_count_min: 10}\n")
    configure(gate)
    assert rivet("run", "-c", "rivet.yaml").code == 3


def test_data_goes_to_standard_output_and_the_report_does_not(shop: Path, configure: Callable[[str], None]) -> None:
    configure(PIPED)
    done = subprocess.run(
        [sys.executable, "-m", "rivet_core", "run", "-c", "rivet.yaml"], cwd=shop, capture_output=True, check=True
    )
    assert pq.read_table(BytesIO(done.stdout)).num_rows == 1000
    assert b"orders: success" in done.stderr
    assert b"rivet validate" not in done.stderr


def test_a_report_that_cannot_be_written_is_an_error_with_a_name(shop: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rivet_core", "run", "-c", "rivet.yaml", "--json-errors"],
            cwd=shop,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, json.loads(done.stderr)["code"]) == (1, "RIVET_CLI_OUTPUT_UNWRITABLE")


def test_a_closed_standard_output_is_no_error(shop: Path, rows: Callable[[str], int]) -> None:
    command = f"exec {sys.executable} -m rivet_core run -c rivet.yaml >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], cwd=shop, check=False).returncode == 0
    assert rows("out/orders") == 1000


def test_letters_that_the_terminal_does_not_have_are_spelled(
    spawn: Rivet, shop: Path, configure: Callable[[str], None]
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("out/orders", "out/größe"))
    done = spawn("run", "-c", "rivet.yaml", "-e", "orders", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.code, "gr\\xf6\\xdfe" in done.out or "gr%C3%B6%C3%9Fe" in done.out) == (0, True)


def test_json_would_mix_with_data_and_is_refused(rivet: Rivet, configure: Callable[[str], None]) -> None:
    configure(PIPED)
    done = rivet("run", "-c", "rivet.yaml", "--json", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OPTION_UNSUPPORTED")


def test_progress_is_drawn_on_a_terminal(shop: Path) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rivet_core", "run", "-c", "rivet.yaml", "-e", "orders"],
        cwd=shop,
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    ) as process:
        os.close(follower)
        drawn = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:
                break
            if not piece:
                break
            drawn += piece
    os.close(leader)
    assert process.returncode == 0
    assert b"1,000 rows" in drawn


def test_a_count_of_the_source_is_compared_declared_and_verified(rivet: Rivet, shop: Path) -> None:
    ended = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--reconcile", "--json")
    assert ended.code == 0
    (export,) = ended.json()["per_export"]
    gates = {gate["gate"]: gate["verdict"] for gate in export["gates"]}
    assert gates["reconcile"] == "pass"
    assert export["validation"]["passed"]
    manifest = json.loads((shop / "out" / "orders" / "manifest.json").read_text())
    assert manifest["source"]["extraction"]["source_row_count"] == manifest["row_count"] == 1000


def test_a_gate_of_a_column_that_is_not_there_is_exit_1_before_a_run_is_opened(
    rivet: Rivet, configure: Callable[[str], None]
) -> None:
    configure(one_export(quality="{unique_columns: [ghost]}"))
    ended = rivet("run", "-c", "rivet.yaml")
    assert ended.code == 1
    assert "quality.unique_columns names ghost, which the export does not have" in ended.err
    assert "exports.orders.quality.unique_columns" in ended.err


def test_the_next_command_has_the_params_of_this_one(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    configure(one_export(table="${TABLE}"))
    done = rivet("run", "-c", "rivet.yaml", "-p", "TABLE=customers", "-p", "NOTE=a b")
    assert "rivet validate -c rivet.yaml -p TABLE=customers -p 'NOTE=a b' " in done.out.partition("Next:")[2]


def test_a_warning_about_an_export_that_was_left_out_is_not_told(
    rivet: Rivet, configure: Callable[[str], None], shop: Path
) -> None:
    text = (shop / "rivet.yaml").read_text()
    configure(text.replace("table: customers", "table: customers\n    target: bq"))
    left_out = rivet("run", "-c", "rivet.yaml", "-e", "orders", "--json")
    assert (left_out.json()["warnings"], "Warning:" in left_out.err) == ([], False)
    chosen = rivet("run", "-c", "rivet.yaml", "-e", "customers", "--json")
    assert (len(chosen.json()["warnings"]), "target has no effect yet" in chosen.err) == (1, True)
