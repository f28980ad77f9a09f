"""Names with control characters: no command lets a terminal obey them, and JSON holds them as they are."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.types import block, one_line

if TYPE_CHECKING:
    from conftest import Rivet

NAME = "x\x1b[31mRED\x1b]0;title\x07\nError: fake\u202e\x9b"
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]")
CONFIG = """\
source: {type: sqlite, path: shop.db}
exports:
  - name: odd
    table: odd
    mode: full
    format: parquet
    quality: {null_ratio_max: {%s: 0.5}}
    destination: {type: local, path: out/odd}
"""


@pytest.fixture
def odd(shop: Path, configure: Callable[[str], None]) -> Path:
    with closing(sqlite3.connect(shop / "shop.db")) as connection, connection:
        connection.execute(f'CREATE TABLE odd (id INTEGER, "{NAME}" NUMERIC)')
        connection.execute("INSERT INTO odd VALUES (1, NULL), (2, NULL), (3, 1)")
    configure(CONFIG % json.dumps(NAME))
    return shop


@pytest.mark.parametrize(
    "command",
    [
        ("run", "-c", "rivet.yaml"),
        ("run", "-c", "rivet.yaml", "--json-errors"),
        ("check", "-c", "rivet.yaml", "--type-report"),
        ("validate", "-c", "rivet.yaml"),
        ("doctor", "-c", "rivet.yaml"),
        ("state", "runs", "-c", "rivet.yaml"),
        ("init", "--source", "sqlite:///shop.db", "-o", "new.yaml"),
    ],
    ids=lambda command: " ".join(command[:1]),
)
def test_no_command_prints_a_control_character(rivet: Rivet, odd: Path, command: tuple[str, ...]) -> None:
    done = rivet(*command, RIVET_LOG="debug", RIVET_DEBUG="1", RIVET_TRACE_PLUGINS="1")
    printed = done.out + done.err
    assert CONTROLS.findall(printed) == []
    assert "\nError: fake" not in printed
    for report in (*odd.glob(".rivet/runs/*/summary.md"), *odd.glob("new.yaml")):
        assert CONTROLS.findall(report.read_text()) == []


def test_the_name_is_shown_escaped_on_its_line(rivet: Rivet, odd: Path) -> None:
    del odd
    shown = r"x\x1b[31mRED\x1b]0;title\x07\nError: fake\u202e\x9b"
    assert shown in rivet("check", "-c", "rivet.yaml", "--type-report").out
    (gate,) = [line for line in rivet("run", "-c", "rivet.yaml").out.splitlines() if "null_ratio" in line]
    assert shown in gate


def test_json_holds_the_name_as_it_is(rivet: Rivet, odd: Path) -> None:
    del odd
    (found,) = rivet("check", "-c", "rivet.yaml", "--json").json()
    assert [column["name"] for column in found["columns"]] == ["id", NAME]


@given(st.text())
def test_a_line_stays_a_line_and_escaping_again_changes_nothing(text: str) -> None:
    assert CONTROLS.search(one_line(text)) is None
    assert "\n" not in one_line(text)
    assert one_line(one_line(text)) == one_line(text)


@given(st.text(st.sampled_from("a \n\x1b:")))
def test_only_the_first_line_of_a_block_begins_at_the_margin(text: str) -> None:
    assert [line for line in block(text).split("\n")[1:] if line and not line.startswith(" ")] == []
