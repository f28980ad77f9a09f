"""Placeholders of the file, of queries and of prefixes: what each tool puts in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from interop_datasets import Dataset, folder_of
from interop_pair import Both, Pair, export, query

#: A query, and what its only cell holds: ours, theirs.
TEXTS: dict[str, tuple[str, str, str]] = {
    "variable": ("SELECT '${WORD}'", "from the environment", "from the environment"),
    "param": ("SELECT '${BOTH}'", "from the command", "from the command"),
    "twice": ("SELECT '${WORD}${WORD}'", "from the environment" * 2, "from the environment" * 2),
    "dotted": ("SELECT '${a.b-c}'", "dots", "dots"),
    "dollar quotes": ("SELECT $$${QUOTE}$$", "it's", "it's"),
    "two dollars": ("SELECT '$${WORD}'", "${WORD}", "$from the environment"),
    "once": ("SELECT '${NESTED}'", "${WORD}", "from the environment"),
    "no braces": ("SELECT '$WORD'", "$WORD", "$WORD"),
    "empty": ("SELECT '${EMPTY}'", "", ""),
    "an expression": ("SELECT ${NUMBER} + 1", "42", "42"),
}
VARIABLES = {
    "WORD": "from the environment",
    "BOTH": "from the environment",
    "QUOTE": "it's",
    "NESTED": "${WORD}",
    "EMPTY": "",
    "NUMBER": "41",
}
#: A prefix's template, and the folder that both make of it.
FOLDERS = {
    "export": "out/{export}",
    "table": "out/of/{table}",
    "date": "out/{date}/x",
    "twice": "out/{export}/{export}-{date}",
    "run_id": "out/{run_id}",
    "unknown": "out/{what}/{Export}/{}",
    "inside": "./out//a/./b/",
    "blank": "out/a b/ü%20",
}


@pytest.fixture(scope="module")
def ran(rust_tool: Any, tables: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Pair, Both]:
    pair = Pair(rust=rust_tool.path, folder=tmp_path_factory.mktemp("placeholders"), url=tables)
    texts = [
        export(f"text-{number}", query(f"{text} AS a"), format="csv")
        for number, (text, *_) in enumerate(TEXTS.values())
    ]
    folders = [
        export(f"folder-{name}", query("SELECT 1 AS a"), destination={"type": "local", "path": path})
        for name, path in FOLDERS.items()
    ]
    pair.configure([*texts, *folders])
    return pair, pair.run("-p", "BOTH=from the command", "-p", "a.b-c=dots", **VARIABLES)


def test_both_end_well(ran: tuple[Pair, Both]) -> None:
    assert ran[1].codes == (0, 0), ran[1]


@pytest.mark.parametrize(("number", "name"), list(enumerate(TEXTS)))
def test_what_is_put_in(ran: tuple[Pair, Both], told: str, number: int, name: str) -> None:
    _, *wanted = TEXTS[name]
    found = []
    for folder in (ran[0].ours, ran[0].theirs):
        (file,) = Dataset.at(folder / "out" / f"text-{number}").files
        with duckdb.connect() as connection:
            connection.execute("SELECT * FROM read_csv(?, all_varchar = true, header = true)", [file])
            (row,) = connection.fetchall()
        found.append(row[0] or "")
    assert found == wanted
    assert wanted[0] == wanted[1] or {"two dollars": "`$${", "once": "another placeholder"}[name] in told


@pytest.mark.parametrize("name", FOLDERS)
def test_both_write_to_one_folder(ran: tuple[Pair, Both], name: str) -> None:
    found = []
    for root in (ran[0].ours, ran[0].theirs):
        manifests = root.glob(f"out/**/manifest-folder-{name}_*.json")
        (place,) = {str(path.parent.relative_to(root)) for path in manifests}
        found.append(place)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    made = FOLDERS[name].replace("{export}", f"folder-{name}").replace("{table}", f"folder-{name}")
    assert found == [str(Path(made.replace("{date}", day)))] * 2


def test_our_addresses_are_urls_and_theirs_are_not(ran: tuple[Pair, Both], told: str) -> None:
    ours, theirs = (
        Dataset.at(folder / "out" / "a b" / "ü%20").manifest["destination"]["uri"]
        for folder in (ran[0].ours, ran[0].theirs)
    )
    assert folder_of(ours) == ran[0].ours / "out" / "a b" / "ü%20"
    assert theirs == f"file://{ran[0].theirs}/out/a b/ü%20"
    assert "destination.uri" in told


def test_a_param_that_nothing_uses_is_a_warning_of_both(pair: Pair) -> None:
    pair.configure([export("x", query("SELECT 1 AS a"))])
    both = pair.rivet("run", "-c", "rivet.yaml", "-p", "UNUSED=1")
    assert both.codes == (0, 0)
    assert all("UNUSED" in end.err for end in (both.ours, both.theirs))


@pytest.mark.parametrize("words", [("-p", "A=1", "-p", "A=2"), ("-p", "=1")])
def test_a_param_that_is_doubtful_is_refused_by_us_alone(pair: Pair, told: str, words: tuple[str, ...]) -> None:
    pair.configure([export("x", query("SELECT '${A}' AS a"))])
    assert pair.run(*words, A="0").codes == (1, 0)
    assert "`--param`" in told


def test_values_never_show_a_secret(pair: Pair) -> None:
    pair.configure(
        [export("x", query("SELECT 1 AS a"))],
        source={"type": "postgres", "url": "${URL}", "tuning": {"max_retries": 0}},
    )
    both = pair.run(URL="postgresql://u:hunter2@127.0.0.1:1/d")
    assert both.codes == (2, 2)
    assert "hunter2" not in both.ours.said() + both.theirs.said()


@pytest.mark.parametrize("keys", [{"parallel_exports": True}, {"parallel_exports": False}])
def test_exports_beside_each_other_are_the_same_exports(pair: Pair, keys: dict[str, Any]) -> None:
    exports = [export(f"e{number}", query(f"SELECT {number} AS a")) for number in range(4)]
    pair.configure(exports, parallel_export_processes=False, **keys)
    both = pair.run()
    assert both.codes == (0, 0)
    assert {name: one["rows"] for name, one in both.ours.exports().items()} == {
        name: one["rows"] for name, one in both.theirs.exports().items()
    }
