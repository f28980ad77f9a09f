from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rivet_core.config import Configuration, ConfigurationInvalid, Problem
from rivet_core.plugins import Plugins

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Read = Callable[..., Configuration]
    Problems = Callable[..., tuple[Problem, ...]]

EXPORTS = "exports: [{name: a, table: t, format: csv, destination: {type: stdout}}]\n"


def options(configuration: Configuration) -> Any:
    return configuration.source.options


def test_the_options_are_the_plugins_own_class(read: Read, tmp_path: Path) -> None:
    configuration = read(
        "source:\n  type: duck\n  host: h\n  port: 99\n  database: 0123\n  ratio: 1\n"
        "  labels: {team: no, cost: 7}\n  tls: {mode: disable, ca_file: ca.pem}\n" + EXPORTS
    )
    held = options(configuration)
    assert (held.host, held.port, held.database, held.ratio) == ("h", 99, "0123", 1.0)
    assert held.labels == (("team", "no"), ("cost", "7"))
    assert (held.tls.mode, held.tls.ca_file) == ("disable", tmp_path / "ca.pem")


@pytest.mark.parametrize("written", ["${PORT}", "'${PORT}'", '"${PORT}"', "4${REST}", "${NONE:-42}"])
def test_a_placeholder_becomes_a_number_where_a_number_is_wanted(read: Read, written: str) -> None:
    configuration = read(f"source:\n  type: duck\n  host: h\n  port: {written}\n" + EXPORTS, PORT="42", REST="2")
    assert options(configuration).port == 42


@pytest.mark.parametrize("value", ["007", "no", "1_000", "null", "~", "", " x ", "a: b # c", "2026-01-01", "'q'"])
def test_a_placeholder_stays_text_where_text_is_wanted(read: Read, value: str) -> None:
    configuration = read("source:\n  type: duck\n  host: ${V}\n  password: ${V}\n" + EXPORTS, V=value)
    assert (options(configuration).host, options(configuration).password.reveal()) == (value, value)


@pytest.mark.parametrize("value", ["", "x", "0042", "4_2", "4.0", "1:30", "99999", "hunter2"])
def test_a_variable_that_is_no_number_is_refused_without_showing_it(problems: Problems, value: str) -> None:
    (problem,) = problems("source:\n  type: duck\n  host: h\n  port: ${PORT}\n" + EXPORTS, PORT=value)
    assert (problem.place.path, problem.place.line) == ("source.port", 4)
    if value != "99999":
        assert "${PORT}" in problem.message
        assert not value or value not in problem.message


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("'5'", "quotes"),
        ("0123", "octal"),
        ("1_000", "underscores"),
        ("1:30", "base-60"),
        ("yes", "whole number"),
        ("[5]", "a list"),
        ("{a: 5}", "a mapping"),
        ("", "empty"),
        ("~", "empty"),
        ("5.0", "whole number"),
        ("2026-01-01", "date"),
    ],
)
def test_what_is_no_number_is_refused_with_its_reason(problems: Problems, written: str, word: str) -> None:
    (problem,) = problems(f"source:\n  type: duck\n  host: h\n  port: {written}\n" + EXPORTS)
    assert word in problem.message
    assert problem.place.path == "source.port"


def test_the_url_may_not_be_of_another_kind(problems: Problems) -> None:
    (problem,) = problems("source: {type: duck, url: 'postgresql://u:hunter2@h/d'}\n" + EXPORTS)
    assert (problem.code, problem.place.path) == ("RIVET_CONFIG_SOURCE_URL_SCHEME_MISMATCH", "source.url")
    assert "hunter2" not in f"{problem.message} {problem.remedy}"


def test_a_url_without_a_scheme_is_not_shown(problems: Problems) -> None:
    (problem,) = problems("source: {type: duck, url: hunter2}\n" + EXPORTS)
    assert "no scheme" in problem.message
    assert "hunter2" not in f"{problem.message} {problem.remedy}"


@pytest.mark.parametrize("url", ["duck://h/d", "DUCKS://h/d"])
def test_the_schemes_of_the_kind_are_taken(read: Read, url: str) -> None:
    assert options(read(f"source: {{type: duck, url: '{url}'}}\n" + EXPORTS)).url.reveal() == url


@pytest.mark.parametrize("block", ["url: 'duck://u:hunter2@h/d'", "host: h\n  password: hunter2"])
def test_a_secret_in_plain_text_is_a_warning_that_does_not_show_it(read: Read, block: str) -> None:
    configuration = read(f"source:\n  type: duck\n  {block}\n" + EXPORTS)
    assert ["in plain text" in str(warning) for warning in configuration.warnings] == [True]
    assert "hunter2" not in f"{configuration} {configuration.warnings}"


@pytest.mark.parametrize("block", ["url: 'duck://u@h/d'", "url: ${URL}", "host: h\n  password: ${PW}"])
def test_a_secret_from_elsewhere_is_none(read: Read, block: str) -> None:
    configuration = read(f"source:\n  type: duck\n  {block}\n" + EXPORTS, URL="duck://u:hunter2@h/d", PW="hunter2")
    assert configuration.warnings == ()


def test_no_error_shows_a_secret_of_the_file(read: Read) -> None:
    text = "source:\n  type: duck\n  password: hunter2\n  url: 'duck://u:hunter3@h/d'\n  host: h\n  port: hunter2\n"
    with pytest.raises(ConfigurationInvalid) as caught:
        read(text + EXPORTS.replace("format: csv", "format: ${PW}"), PW="hunter4")
    assert "hunter3" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_what_the_plugins_class_refuses_is_reported_at_the_key_it_names(problems: Problems) -> None:
    (problem,) = problems("source:\n  type: duck\n  host: h\n  url: 'duck://h'\n" + EXPORTS)
    assert (problem.place.line, problem.code) == (4, "RIVET_CONFIG_VALUE_INVALID")


@pytest.mark.parametrize("source", ["", "duck", "[]", "{}", "{host: h}", "{type: }", "{type: [duck]}"])
def test_a_source_without_a_kind_is_refused(problems: Problems, source: str) -> None:
    assert all((problem.place.path or "").startswith("source") for problem in problems(f"source: {source}\n" + EXPORTS))


def test_a_missing_plugin_is_reported_at_its_line_beside_other_problems(problems: Problems) -> None:
    found = problems("source:\n  type: mysql\n  host: h\n" + EXPORTS.replace("csv", "csvv"))
    assert [(problem.place.line, problem.place.path, problem.code) for problem in found] == [
        (2, "source.type", "RIVET_PLUGIN_MISSING"),
        (4, "exports[0].format", "RIVET_PLUGIN_MISSING"),
    ]
    assert "not built yet" in (found[0].remedy or "")


def test_the_cause_of_a_broken_plugin_is_chained(tmp_path: Path) -> None:
    from rivet_core.config import parse
    from rivet_core.plugins import Entry, Seam

    entry = Entry(seam=Seam.SOURCE, kind="duck", target="surely_not_installed", distribution="rivet-duck", version="1")
    with pytest.raises(ConfigurationInvalid) as caught:
        parse(
            "source: {type: duck}\n" + EXPORTS, Plugins([entry]), path=tmp_path / "f", file="f", params={}, environ={}
        )
    assert caught.value.__cause__ is not None
    assert isinstance(caught.value.__cause__.__cause__, ModuleNotFoundError)


def test_the_block_of_another_kind_of_source_is_named(problems: Problems) -> None:
    (problem,) = problems("source: {type: duck, host: h, mongo: {page_size: 5}}\n" + EXPORTS)
    assert "mongo" in (problem.remedy or "")


@pytest.mark.parametrize(
    ("key", "home"),
    [
        ("batch_size: 5", "tuning"),
        ("bucket: b", "destination"),
        ("ca_file: x", "source.tls"),
        ("skip_empty: true", "an export"),
        ("slack: {}", "notifications"),
    ],
)
def test_a_key_at_the_wrong_level_is_sent_home(problems: Problems, key: str, home: str) -> None:
    (problem,) = problems(f"source:\n  type: duck\n  host: h\n  {key}\n" + EXPORTS)
    assert home in (problem.remedy or "")
