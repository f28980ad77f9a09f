from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rivet_core.state import STATE_FILE

if TYPE_CHECKING:
    from conftest import Ended, Rivet


def checks(done: Ended) -> dict[str, dict[str, Any]]:
    return {check["name"]: check for check in done.json()["checks"]}


def test_everything_is_in_order(rivet: Rivet) -> None:
    done = rivet("doctor", "-c", "rivet.yaml", "--json", RIVET_PLUGINS="")
    assert (done.code, done.json()["all_ok"], done.json()["config_path"]) == (0, True, "rivet.yaml")


@pytest.mark.parametrize(("chosen", "counted"), [((), "2 exports"), (("-e", "orders"), "1 export")])
def test_the_exports_are_counted(rivet: Rivet, chosen: tuple[str, ...], counted: str) -> None:
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json", *chosen))
    assert found["configuration"]["detail"] == f"rivet.yaml, {counted}"


def test_what_was_checked_is_listed(rivet: Rivet) -> None:
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json", RIVET_PLUGINS=""))
    assert {
        "configuration",
        "plugins",
        "environment",
        "source sqlite",
        "destination of orders",
        "destination of customers",
        "state",
        "staging",
    } == set(found)


def test_the_probe_does_not_stay(rivet: Rivet, shop: Path) -> None:
    rivet("doctor", "-c", "rivet.yaml")
    assert [path.name for path in (shop / "out").rglob("*") if path.is_file()] == []


def test_no_state_is_made(rivet: Rivet, shop: Path) -> None:
    rivet("doctor", "-c", "rivet.yaml")
    assert not (shop / STATE_FILE).exists()


def test_a_missing_source_is_found_and_the_rest_is_still_checked(rivet: Rivet, shop: Path) -> None:
    (shop / "shop.db").unlink()
    done = rivet("doctor", "-c", "rivet.yaml", "--json", "--json-errors", RIVET_PLUGINS="")
    assert (done.code, done.error()["code"]) == (1, "RIVET_CLI_PREFLIGHT_FAILED")
    assert [name for name, check in checks(done).items() if not check["ok"]] == ["source sqlite"]


def test_a_destination_that_cannot_be_written_is_found(rivet: Rivet, shop: Path) -> None:
    (shop / "out").write_text("a file where a folder should be")
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json"))
    assert (found["destination of orders"]["ok"], bool(found["destination of orders"]["hint"])) == (False, True)


def test_a_damaged_state_is_found(rivet: Rivet, shop: Path) -> None:
    (shop / STATE_FILE).write_bytes(b"this is no database" * 100)
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json"))
    assert "RIVET_STATE_FILE_CORRUPT" in found["state"]["detail"]


def test_a_missing_staging_folder_is_found(rivet: Rivet) -> None:
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json", RIVET_STAGING="/nowhere/at/all"))
    assert found["staging"]["ok"] is False


def test_another_program_called_rivet_in_this_environment_is_found(spawn: Rivet, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "rivet").mkdir(parents=True)
    (site / "rivet" / "__init__.py").write_text("")
    (site / "rivet_cli-0.32.2.dist-info").mkdir()
    (site / "rivet_cli-0.32.2.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: rivet-cli\nVersion: 0.32.2\n"
    )
    found = checks(spawn("doctor", "-c", "rivet.yaml", "--json", PYTHONPATH=str(site)))["environment"]
    assert found["ok"] is False
    assert ["rivet-cli 0.32.2" in found["detail"], "package rivet at" in found["detail"]] == [True, True]


def test_a_destination_that_keeps_nothing_is_not_tried(
    rivet: Rivet, shop: Path, configure: Callable[[str], None]
) -> None:
    configure((shop / "rivet.yaml").read_text().replace("{type: local, path: out/orders}", "{type: stdout}"))
    done = rivet("doctor", "-c", "rivet.yaml", "-e", "orders")
    assert (done.code, "keeps nothing" in done.out, "rivet doctor\n" in done.out) == (0, True, False)


def test_the_text_says_what_to_do(rivet: Rivet, shop: Path) -> None:
    (shop / "shop.db").unlink()
    done = rivet("doctor", "-c", "rivet.yaml")
    assert "FAIL  source sqlite" in done.out
    assert "what to do:" in done.out


@pytest.mark.parametrize("question", ["check", "identity"])
def test_a_source_that_says_nothing_is_not_waited_for_and_the_rest_is_still_checked(
    question: str, rivet: Rivet, shop: Path, silence: Callable[[str], None]
) -> None:
    text = (shop / "rivet.yaml").read_text()
    (shop / "rivet.yaml").write_text(text.replace("shop.db", "shop.db\n  tuning: {statement_timeout_s: 1}"))
    silence(question)
    found = checks(rivet("doctor", "-c", "rivet.yaml", "--json", RIVET_PLUGINS=""))
    assert "RIVET_SOURCE_STATEMENT_TIMEOUT" in found["source sqlite"]["detail"]
    assert found["state"]["ok"]
