from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rivet_core.state import STATE_FILE

if TYPE_CHECKING:
    from conftest import Rivet


@pytest.fixture
def exported(rivet: Rivet, shop: Path) -> Path:
    """The shop after a run of both exports."""
    assert rivet("run", "-c", "rivet.yaml").code == 0
    return shop


def part(shop: Path) -> Path:
    return next((shop / "out" / "orders").glob("*.parquet"))


@pytest.mark.parametrize("depth", ["light", "sample", "full"])
def test_what_was_written_passes_at_every_depth(rivet: Rivet, exported: Path, depth: str) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "--depth", depth)
    assert (done.code, f"orders: passed at depth {depth}" in done.out) == (0, True)


def test_neither_source_nor_state_is_needed(rivet: Rivet, exported: Path) -> None:
    (exported / "shop.db").unlink()
    (exported / STATE_FILE).unlink()
    assert rivet("validate", "-c", "rivet.yaml").code == 0
    assert not (exported / STATE_FILE).exists()


def test_a_missing_part_is_exit_3(rivet: Rivet, exported: Path) -> None:
    part(exported).unlink()
    done = rivet("validate", "-c", "rivet.yaml", "--depth", "sample", "--json-errors")
    assert (done.code, done.error()["code"], done.error()["exit_class"]) == (3, "RIVET_VALIDATE_FAILED", 3)
    assert "[RIVET_VERIFY_PART_MISSING]" in done.out


def test_a_changed_byte_is_found_at_full_depth(rivet: Rivet, exported: Path) -> None:
    path = part(exported)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)
    assert rivet("validate", "-c", "rivet.yaml", "--depth", "sample").code == 0
    assert rivet("validate", "-c", "rivet.yaml", "--depth", "full").code == 3


@pytest.mark.parametrize("depth", ["light", "sample", "full"])
def test_the_dataset_of_another_state_files_export_is_not_passed_for_ones_own(
    rivet: Rivet, shop: Path, depth: str
) -> None:
    text = "\n".join(
        (
            f"source: {{type: sqlite, path: {shop / 'shop.db'}}}",
            "exports:",
            "  - {name: NAME, table: orders, mode: full, format: parquet, destination: {type: local, path: PATH}}",
        )
    ).replace("PATH", str(shop / "shared"))
    for name in ("first", "second"):
        (shop / name).mkdir()
        (shop / name / "rivet.yaml").write_text(text.replace("NAME", name))
        assert rivet("run", "-c", f"{name}/rivet.yaml").code == 0
    done = rivet("validate", "-c", "first/rivet.yaml", "--depth", depth, "--json-errors")
    assert (done.code, done.error()["code"]) == (3, "RIVET_VALIDATE_FAILED")
    assert "[RIVET_VERIFY_EXPORT_MISMATCH] the manifest is that of the export 'second'" in done.out
    assert rivet("validate", "-c", "second/rivet.yaml", "--depth", depth).code == 0
    assert rivet("validate", "-c", "first/rivet.yaml", "--depth", depth, "--prefix", str(shop / "shared")).code == 0


def test_only_the_bad_export_is_named(rivet: Rivet, exported: Path) -> None:
    part(exported).unlink()
    done = rivet("validate", "-c", "rivet.yaml")
    assert "customers: passed" in done.out
    assert "customers" not in done.err


def test_a_prefix_without_a_dataset_is_exit_1(rivet: Rivet) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_VALIDATE_UNVERIFIED")


@pytest.mark.parametrize("option", [["--json"], ["--format", "json"]])
def test_the_report_can_be_json(rivet: Rivet, exported: Path, option: list[str]) -> None:
    report = rivet("validate", "-c", "rivet.yaml", "-e", "orders", *option).json()
    (found,) = report["exports"]
    assert (found["export_name"], found["verification"]["passed"]) == ("orders", True)
    assert found["resolved_prefix"].endswith("/out/orders/")


def test_the_report_can_go_into_a_file(rivet: Rivet, exported: Path) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "--json", "-o", "report.json")
    assert (done.code, done.out) == (0, "")
    assert len(json.loads((exported / "report.json").read_text())["exports"]) == 2


def test_a_file_that_cannot_be_written_is_exit_1(rivet: Rivet, exported: Path) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "-o", "absent/report.json", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OUTPUT_UNWRITABLE")


def test_a_run_can_be_verified_by_its_id(rivet: Rivet, shop: Path) -> None:
    first = rivet("run", "-c", "rivet.yaml", "--json").json()["per_export"][0]["run_id"]
    rivet("run", "-c", "rivet.yaml")
    done = rivet("validate", "-c", "rivet.yaml", "--run-id", first, "--json")
    assert [found["export_name"] for found in done.json()["exports"]] == ["orders"]
    assert done.code == 0


def test_an_unknown_run_is_exit_1(rivet: Rivet, exported: Path) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "-e", "orders", "--run-id", "nobody", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_VALIDATE_UNVERIFIED")


def test_a_run_id_that_fits_no_export_is_a_usage_error(rivet: Rivet, exported: Path) -> None:
    done = rivet("validate", "-c", "rivet.yaml", "--run-id", "nobody", "--json-errors")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_OPTION_UNSUPPORTED")


def test_another_prefix_belongs_to_one_export(rivet: Rivet, exported: Path) -> None:
    elsewhere = exported / "moved"
    (exported / "out" / "orders").rename(elsewhere)
    done = rivet("validate", "-c", "rivet.yaml", "--prefix", str(elsewhere))
    assert (done.code, "RIVET_CLI_OPTION_UNSUPPORTED" in done.err) == (1, True)
    assert rivet("validate", "-c", "rivet.yaml", "-e", "orders", "--prefix", str(elsewhere)).code == 0


def test_a_date_in_the_prefix_is_today_or_the_given_one(
    rivet: Rivet, shop: Path, configure: Callable[[str], None]
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("path: out/orders", "path: 'out/orders/{date}'"))
    assert rivet("run", "-c", "rivet.yaml", "-e", "orders", "--validate").code == 0
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    (shop / "out" / "orders" / today).rename(shop / "out" / "orders" / "2024-05-01")
    assert rivet("validate", "-c", "rivet.yaml", "-e", "orders").code == 1
    assert rivet("validate", "-c", "rivet.yaml", "-e", "orders", "--date", "2024-05-01").code == 0


def test_a_destination_that_cannot_be_read_again_is_left_out(
    rivet: Rivet, shop: Path, configure: Callable[[str], None], exported: Path
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("{type: local, path: out/customers}", "{type: stdout}"))
    done = rivet("validate", "-c", "rivet.yaml")
    assert (done.code, "cannot be read again" in done.err) == (0, True)
    assert rivet("validate", "-c", "rivet.yaml", "-e", "customers").code == 1
