"""Every mistake that a configuration can have is told with what to do about it, by the plugins that are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rivet_core.config import ConfigurationInvalid, Problem, parse
from rivet_core.plugins import Plugins

SOURCE = "type: postgres, host: localhost, user: u, database: d"
EXPORT = "name: a, table: t, format: parquet, destination: {type: local, path: out}"
CSV = "name: a, table: t, destination: {type: local, path: out}, format: {type: csv, KEY}"
#: What is written into the source's or the export's braces, and words of the remedy.
OF_SOURCE = {
    "port: ten": "whole number", "port: 0": "5432", "port: 99999": "5432", "port: [1]": "one value",
    "tls: {mode: verify_full}": "did you mean 'verify-full'", "tls: {mode: x}": "choose one of",
    "tls: {mode: verify-full, accept_invalid_certs: true}": "remove them", "tls: disable": "below it",
    "tls: {ca_file: ''}": "name a file", "tls: {accept_invalid_certs: 1}": "write true",
    "tls: {accept_invalid_certs: x}": "true or false",
    "password: hidden, password_env: B": "remove one", "url: 'postgresql://h/d'": "give one URL",
    "password: [hidden]": "one value", "password: {hidden: x}": "one value", "environment: prod": "choose one of",
    "tuning: {batch_size: ten}": "such as 5", "tuning: {batch_size: 0}": "1, or more", "tuning: fast": "below it",
    "tuning: {batch_size: 1e3}": "such as 5", "tuning: {batch_size: '5'}": "remove the quotes",
    "tuning: {batch_size: 99999999999999999999}": "between", "tuning: {throttle_ms: -1}": "0, or more",
    "tuning: {lock_timeout_s: 99999999}": "at most", "tuning: {batch_size: 1, batch_size_memory_mb: 1}": "remove one",
    "tuning: {profile: quick}": "choose one of", "tuning: {profile: saef}": "did you mean 'safe'",
    "tuning: {max_retires: 1}": "did you mean 'max_retries'", "<<: 5": "alias", "[a]: b": "a word",
    "hots: h": "did you mean 'host'", "sslmode: require": "choose one of",
}  # fmt: skip
OF_EXPORT = {
    "parallel: -1": "1, or more", "parallel: ten": "such as 5", "parallel: ": "give it", "wave: -1": "0, or more",
    "max_file_size: x": "64MB", "max_file_size: 0": "64MB", "max_file_size: 99999999999999999999GB": "64MB",
    "max_file_size: [1]": "one value", "quality: {null_ratio_max: {a: 2}}": "0.05",
    "quality: {null_ratio_max: {a: x}}": "such as 0.5", "quality: {null_ratio_max: {a: 1e400}}": "below",
    "quality: {row_count_min: 5, row_count_max: 1}": "row_count_max: 5", "quality: {row_count_min: -1}": "0, or more",
    "quality: {row_count_max: -1}": "0, or more", "quality: {unique_columns: a}": "[a]",
    "quality: {unique_columns: [a, a]}": "'a' once", "quality: {unique_max_entries: 5}": "unique_columns",
    "meta_columns: {row_hash: []}": "row_hash: true", "meta_columns: {row_hash: [a, a]}": "'a' once",
    "meta_columns: true": "below it", "columns: {a: intt}": "did you mean", "columns: {a: 'decimal(5,-2)'}": "scale",
    "columns: {a: 'decimal(99,2)'}": "precision", "columns: {u.a: int}": "'a' alone", "columns: {'': int}": "name of a",
    "on_invalid_value: nil": "choose one of", "target: bigquri": "did you mean 'bigquery'", "target: oracle": "choose",
    "shape_drift_warn_factor: .nan": "finite", "shape_drift_warn_factor: -1": "0, or more", "verify: all": "choose",
    "verify: content": "verify: size", "skip_empty: yes": "write true", "query: q": "keep one",
    "compression: zst": "did you mean 'zstd'", "compression_level: 30": "1 to 22",
    "compression: snappy, compression_level: 3": "remove", "parquet: {row_group_rows: 5}": "fixed_rows",
    "parquet: {row_group_strategy: fixed_rows}": "row_group_rows: 100000",
    "parquet: {target_row_group_mb: 0}": "or more",
    "tuning: {throttle_ms: -1}": "0, or more", "mode: fool": "choose", "cursor_column: a": "mode: incremental",
    "load: {}": "remove", "fromat: x": "did you mean 'format'",
}  # fmt: skip
OF_CSV = {
    "delimiter: ';;'": "another character", "delimiter: '1'": "another character", "null_string: ','": "leave it out",
    "null_string: '0'": "leave it out", "quote: x": "choose one of", "line_end: cr": "choose one of",
    "header: no": "write false", "compression: zstd": "compression: none",
}  # fmt: skip
WHOLE = {
    "": "source and exports", "- a": "start with", "x": "start with", "a: b\n---\nc: d": "one document",
    "a: [": "close", 'a: "x': "close", "a: *x": "quotes", "a: !x y": "tag", "\ta: b": "tabs", "a: b: c": "quotes",
    "a: @b": "quotes", "a: %b": "quotes", "a: |b": "quotes", "a: b\nc": "colon", "a: b\n- c": "indent",
    "a: b\n\0": "remove it", "a: &a [*a]": "alias", "[" * 3000: "bracket", "a: " + "[" * 200 + "]" * 200: "bracket",
    "a: '\\x'\nb: \"\\x\"": "backslash",
}  # fmt: skip


#: Looking for them takes longer than reading a file.
PLUGINS = Plugins.installed({})


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigurationInvalid) as caught:
        parse(
            text,
            PLUGINS,
            path=Path("/nowhere/rivet.yaml"),
            file="rivet.yaml",
            params={},
            environ={},
            connects=True,
        )
    return caught.value.problems


def check(text: str, words: str) -> None:
    found = problems(text)
    assert words in " ".join(problem.remedy for problem in found), found
    for problem in found:
        assert len(problem.remedy) > len("remove it") - 1
        assert "Edit the configuration" not in problem.remedy
        assert "rule of its plugin" not in problem.remedy


@pytest.mark.parametrize(("keys", "words"), OF_SOURCE.items())
def test_a_mistake_of_the_source_has_a_remedy(keys: str, words: str) -> None:
    check(f"source: {{{SOURCE}, {keys}}}\nexports:\n  - {{{EXPORT}}}\n", words)


@pytest.mark.parametrize(("keys", "words"), OF_EXPORT.items())
def test_a_mistake_of_an_export_has_a_remedy(keys: str, words: str) -> None:
    check(f"source: {{{SOURCE}}}\nexports:\n  - {{{EXPORT}, {keys}}}\n", words)


@pytest.mark.parametrize(("keys", "words"), OF_CSV.items())
def test_a_mistake_of_csv_has_a_remedy(keys: str, words: str) -> None:
    check(f"source: {{{SOURCE}}}\nexports:\n  - {{{CSV.replace('KEY', keys)}}}\n", words)


@pytest.mark.parametrize(("text", "words"), WHOLE.items(), ids=range(len(WHOLE)))
def test_a_mistake_of_the_whole_file_has_a_remedy(text: str, words: str) -> None:
    check(text, words)


def test_a_character_that_yaml_has_not_has_its_place() -> None:
    (problem,) = problems("a: b\nc: d\0\n")
    assert (problem.place.line, problem.place.column) == (2, 5)


@pytest.mark.parametrize(
    "value", ["x", "'5'", "-1", "5.5", "[]", "{}", "[[]]", "{a: {b: c}}", "''", "99999999999999999999"]
)
def test_no_value_of_any_key_is_told_without_a_remedy(value: str) -> None:
    """Every key of the reference, with every kind of value."""
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"(?m)^\| `([a-z_]+)` \|", page))
    assert len(keys) > 50
    for key in keys:
        text = f"source: {{{SOURCE}, {key}: {value}}}\nexports:\n  - {{{EXPORT}, {key}: {value}}}\n{key}: {value}\n"
        for problem in problems(text):
            assert len(problem.remedy) >= len("remove it"), key
            assert "rule of its plugin" not in problem.remedy, key
