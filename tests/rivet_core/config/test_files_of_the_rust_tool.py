"""What files that were written for the Rust tool say, and mean the same here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rivet_core.types import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.config import Configuration, Problem
    from rivet_core.requests import Intent

    Export = Callable[..., Intent]
    Problems = Callable[..., tuple[Problem, ...]]
    Read = Callable[..., Configuration]

POND = """
source: {type: pond, path: p.db}
exports:
  - name: it
    table: TABLE
    format: parquet
    destination: {type: local, path: out}
    columns: {COLUMN: text}
"""


def test_a_placeholder_in_braces_needs_no_quotes(read: Read) -> None:
    configuration = read(
        """
        source: {type: duck, host: ${HOST}, port: ${PORT:-99}}
        exports: [{name: ${N}_x, table: t, format: parquet, destination: {type: local, path: out/${N}}}]
        """,
        HOST="h",
        N="a: {b",
        PORT="",
    )
    options = configuration.source.options
    assert (options.host, options.port) == ("h", 99)  # type: ignore[attr-defined]  # the stand-in's own class
    assert configuration.exports[0].name == "a: {b_x"


def test_behind_such_a_placeholder_columns_are_counted_as_written(problems: Problems) -> None:
    text = "source: {type: duck, host: ${HOST}, prt: 1}\nexports: []\n"
    assert {(p.place.path, p.place.column) for p in problems(text, HOST="h")} >= {("source.prt", 37)}


def test_what_is_no_placeholder_is_shown_as_it_was_written(problems: Problems) -> None:
    (problem,) = problems('source: {type: duck, host: "${HOST"}\nexports: [x]\n', HOST="h")[:1]
    assert "'${' starts no placeholder" in problem.message


def test_no_stand_in_for_a_brace_is_left_in_a_message(problems: Problems) -> None:
    (problem,) = problems("source: {type: duck, host: ${HOST}\nexports: [${A}, }\n")
    assert not any("\ue000" <= letter <= "\uf8ff" for letter in str(problem))


def test_a_file_of_every_private_character_is_read_all_the_same(export: Export) -> None:
    every = "".join(map(chr, range(0xE000, 0xF900)))
    assert export(f"source_group: '{every}${{A}}'", A="x").name


@pytest.mark.parametrize(
    "key",
    [
        *("cursor_column", "cursor_fallback_column", "settle", "chunk_column", "chunk_size_memory_mb", "chunk_count"),
        *("chunk_by_days", "chunk_by_key", "chunk_max_attempts", "time_column", "days_window", "partition_by"),
        *("cdc", "tables", "load", "compression_level", "compression_profile", "parquet", "quality", "tuning"),
        *("max_file_size", "shape_drift_warn_factor", "target", "source_group", "wave"),
        "parallel_safe",
    ],
)
@pytest.mark.parametrize("empty", ["", "~", "null"])
def test_what_may_be_empty_there_is_as_if_it_were_absent(export: Export, key: str, empty: str) -> None:
    assert export(f"{key}: {empty}") == export("")


@pytest.mark.parametrize("key", ["name", "format", "destination", "skip_empty", "verify", "columns", "parallel"])
def test_what_may_not_be_empty_there_is_refused(read: Read, key: str) -> None:
    from rivet_core.config import ConfigurationInvalid

    keys = {"name": "it", "table": "t", "format": "parquet", "destination": "{type: local, path: out}", key: "~"}
    text = "".join(f"    {key}: {value}\n" for key, value in keys.items())
    with pytest.raises(ConfigurationInvalid) as caught:
        read(f"source: {{type: duck, host: h}}\nexports:\n  -\n{text}")
    assert [problem.place.path for problem in caught.value.problems] == [f"exports[0].{key}"]


@pytest.mark.parametrize(
    "said",
    [
        *("chunk_size: 100000", "chunk_dense: false", "chunk_checkpoint: false", "keyset_incremental: false"),
        *("incremental_cursor_mode: single_column", "time_column_type: timestamp", "partition_granularity: day"),
    ],
)
def test_a_default_of_another_mode_changes_nothing(export: Export, said: str) -> None:
    assert export(said) == export("")


@pytest.mark.parametrize(
    "said", ["chunk_size: 5", "chunk_checkpoint: true", "incremental_cursor_mode: coalesce", "partition_by: day"]
)
def test_anything_else_of_another_mode_is_refused(export_problems: Problems, said: str) -> None:
    assert [problem.place.path for problem in export_problems(said)] == [f"exports[0].{said.partition(':')[0]}"]


def test_a_default_reaches_the_mode_that_has_the_key(export: Export) -> None:
    intent = export("mode: chunked\nchunk_column: id\nchunk_size: 100000")
    assert intent.runners[0].options.chunk_size == 100_000  # type: ignore[attr-defined]  # the stand-in's own class


def test_empty_blocks_of_the_source_and_of_the_file_are_as_if_they_were_absent(read: Read) -> None:
    exports = "exports: [{name: a, table: t, format: parquet, destination: {type: local, path: out, bucket: ~}}]\n"
    said = "source: {type: duck, host: h, mongo: ~, tls: ~, environment: ~, tuning: ~}\nload: ~\nnotifications: ~\n"
    silent = "source: {type: duck, host: h}\n"
    assert read(said + exports) == read(silent + exports)


def test_a_table_is_meant_as_the_sources_own_statements_mean_it(read: Read) -> None:
    assert read(POND.replace("TABLE", "Shop.ITEMS").replace("COLUMN", "id")).exports[0].relation == Table(
        "items", "shop"
    )


def test_a_table_in_quotes_is_meant_as_it_is_written(read: Read) -> None:
    text = POND.replace("TABLE", "'\"Shop\".ITEMS'").replace("COLUMN", "id")
    assert read(text).exports[0].relation == Table("items", "Shop")


@pytest.mark.parametrize("column", ["ITEMS.id", "items.id", "Shop.ITEMS.id"])
def test_a_column_may_name_the_table_as_it_is_written(read: Read, column: str) -> None:
    text = POND.replace("TABLE", "Shop.ITEMS").replace("COLUMN", column)
    assert read(text).exports[0].rules.types == (("id", "text"),)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("BigQuery", "bigquery"), ("BQ", "bigquery"), ("duck", "duckdb"), ("SF", "snowflake"), ("ch", "clickhouse")],
)
def test_a_warehouse_has_several_words(export: Export, word: str, meant: str) -> None:
    assert export(f"target: {word}").target == meant


@pytest.mark.parametrize("size", ["64", '"64"', "64 "])
def test_a_size_without_a_unit_is_bytes(export: Export, size: str) -> None:
    assert export(f"max_file_size: {size}").part_bytes == 64
