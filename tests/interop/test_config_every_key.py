"""Every key that the Rust tool's schema names is read here as there, or is refused by name: none is passed over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest
from interop_keys import ADVICE, LATER, MISSING, NEEDED, SAME, UNKNOWN, WARNED, Said, with_key
from interop_reading import ABSENT, SOURCE, Reading, file
from interop_schema import Key, keys_of

from rivet_core.config import Configuration


@pytest.fixture(scope="session")
def reading(rust_tool: Any, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    folder: Path = tmp_path_factory.mktemp("every-key")
    for name in ("one.sql", "two.sql"):
        (folder / name).write_text(f"SELECT 1 AS {name.partition('.')[0]}")
    for name in ("url.txt", "other.txt", "ca.pem"):
        (folder / name).write_text(SOURCE["url"])
    return Reading(rust=rust_tool.path, folder=folder)


@pytest.fixture(scope="session")
def schema(rust_tool: Any) -> tuple[Key, ...]:
    return keys_of(rust_tool.path)


def read(reading: Reading, tree: Any) -> Configuration:
    """What we read, without its warnings."""
    return attrs.evolve(reading.ours(tree, HOOK="h", DATABASE="d", OTHER="o", PASSWORD="p"), warnings=())


def test_no_key_of_the_rust_tools_schema_is_left_out(schema: tuple[Key, ...]) -> None:
    assert {key.path for key in schema} == {*SAME, *ADVICE, *LATER}


@pytest.mark.parametrize("path", [*SAME, *ADVICE])
def test_both_read_a_file_with_the_key(reading: Reading, path: str) -> None:
    said = (SAME | ADVICE)[path]
    tree = with_key(path, said.value, beside=said.beside)
    assert (reading.problems(tree), reading.theirs(tree)) == ((), None)


@pytest.mark.parametrize("path", sorted(set(SAME) - NEEDED - WARNED))
def test_the_key_changes_what_we_read(reading: Reading, path: str) -> None:
    said = SAME[path]
    with_it, without = (with_key(path, value, beside=said.beside) for value in (said.value, said.otherwise))
    assert read(reading, with_it) != read(reading, without)


@pytest.mark.parametrize("path", sorted(NEEDED))
def test_a_file_without_the_key_is_refused_by_both(reading: Reading, path: str) -> None:
    said = SAME[path]
    tree = with_key(path, ABSENT, beside={**said.beside, path.rpartition(".")[2].replace("[]", ""): ABSENT})
    assert (reading.theirs(tree), [p.code for p in reading.problems(tree)]) == (UNKNOWN, [UNKNOWN])


@pytest.mark.parametrize("path", sorted(WARNED))
def test_a_key_without_an_effect_yet_is_a_warning(reading: Reading, path: str) -> None:
    warnings = reading.ours(with_key(path, SAME[path].value)).warnings
    key = path.rpartition("].")[2].removeprefix("source.")
    assert [warning.message for warning in warnings] == [f"{key} has no effect yet"]


@pytest.mark.parametrize("path", sorted(ADVICE))
def test_advice_for_other_tools_changes_nothing(reading: Reading, path: str) -> None:
    assert read(reading, with_key(path, ADVICE[path].value)) == read(reading, file())


@pytest.mark.parametrize("path", sorted(LATER))
def test_a_key_that_nothing_serves_yet_is_refused_by_name(reading: Reading, path: str) -> None:
    later = LATER[path]
    tree = with_key(path, later.value, beside=later.beside, export=later.export, source=later.source, keys=later.keys)
    problems = reading.problems(tree)
    named = [(problem.place.path, problem.code) for problem in problems]
    assert (later.where, later.code) in named
    assert {code for _, code in named} <= {later.code, MISSING}
    assert all(problem.remedy for problem in problems)
    assert reading.theirs(tree) is None


OF_MODES = sorted(path for path, later in LATER.items() if later.where == "exports[0].mode" and path.count(".") == 1)


@pytest.mark.parametrize("path", [path for path in OF_MODES if path != "exports[].mode"])
def test_a_key_of_another_mode_is_refused_in_a_full_export(reading: Reading, path: str) -> None:
    value = LATER[path].value
    if value is False:
        return  # that is what holds without it
    problems = reading.problems(with_key(path, value))
    assert [problem.place.path for problem in problems] == [path.replace("[]", "[0]")]
    assert problems[0].code == "RIVET_CONFIG_MODE_SETTING_INVALID"


def words_of(schema: tuple[Key, ...]) -> Iterator[tuple[str, str]]:
    for key in schema:
        if key.path in SAME and key.path not in {"source.type", "exports[].destination.type"}:
            for word in key.words:
                yield key.path, word


def test_every_word_of_a_closed_set_is_read_by_both(reading: Reading, schema: tuple[Key, ...]) -> None:
    checked = list(words_of(schema))
    for path, word in checked:
        beside = dict(SAME[path].beside)
        if word == "fixed_rows":
            beside["row_group_rows"] = 5
        value = [word] if path.endswith(".on") else word
        tree = with_key(path, value, beside=beside)
        assert (path, word, reading.problems(tree), reading.theirs(tree)) == (path, word, (), None)
    assert len(checked) > 30


def test_what_holds_without_a_key_may_be_said(reading: Reading, schema: tuple[Key, ...]) -> None:
    checked = [key for key in schema if key.default is not None and key.path in {**SAME, **ADVICE}]
    # Said aloud it contradicts accept_invalid_certs, so the two are told apart, in both tools.
    checked = [key for key in checked if key.path != "source.tls.mode"]
    for key in checked:
        beside = (SAME | ADVICE)[key.path].beside
        said, silent = (with_key(key.path, value, beside=beside) for value in (key.default, ABSENT))
        assert (key.path, read(reading, said)) == (key.path, read(reading, silent))
        assert reading.theirs(said) is None
    assert len(checked) > 10


#: One of each group has to hold something.
ALTERNATIVES = {
    *("source.url", "source.url_env", "source.url_file", "source.host", "source.user", "source.database"),
    *("exports[].table", "exports[].query", "exports[].query_file", "exports[].destination.path"),
    *("notifications.slack.webhook_url", "notifications.slack.webhook_url_env", "exports[].parquet.row_group_rows"),
}


def test_what_may_be_empty_there_may_be_empty_here(reading: Reading, schema: tuple[Key, ...]) -> None:
    blocks = ("source.mongo.", "exports[].cdc.", "exports[].settle.", "exports[].load.", "load.")
    empty = [key for key in schema if key.nullable and key.path not in NEEDED | ALTERNATIVES]
    checked = [key for key in empty if not key.path.startswith(blocks)]
    for key in checked:
        beside = (SAME | ADVICE).get(key.path, Said(None)).beside
        said, silent = (with_key(key.path, value, beside=beside) for value in (None, ABSENT))
        assert (key.path, read(reading, said)) == (key.path, read(reading, silent))
        assert reading.theirs(said) is None
    assert len(checked) > 60


@pytest.mark.parametrize("path", [path for path in SAME if path != "exports[].max_file_size"])
def test_a_value_of_another_shape_is_refused_by_both(reading: Reading, path: str) -> None:
    said = SAME[path]
    wrong = "wrong" if isinstance(said.value, dict | list) else {"wrong": ["wrong"]}
    tree = with_key(path, wrong, beside=said.beside)
    assert (reading.theirs(tree), bool(reading.problems(tree))) == (UNKNOWN, True)
