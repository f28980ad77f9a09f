from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rivet_core.requests import Budget, Chosen, Intent
from rivet_core.types import ColumnRules, InvalidValue, Query, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.config import Configuration, Problem

    Export = Callable[..., Intent]
    Problems = Callable[..., tuple[Problem, ...]]


def codes(problems: tuple[Problem, ...]) -> list[tuple[str, int | None, str]]:
    return [(problem.place.path or "", problem.place.line, problem.code) for problem in problems]


def test_an_export_says_the_least(export: Export) -> None:
    intent = export("")
    assert intent.relation == Table("orders")
    assert intent.mode.kind == "full"
    assert [chosen.kind for chosen in intent.runners] == ["full"]
    assert intent.rules == ColumnRules()
    assert (intent.workers, intent.max_attempts, intent.retry_backoff_ms) == (1, 4, 2000)
    assert intent.tuning.budget == Budget()


def test_every_plain_key_reaches_the_intent(export: Export) -> None:
    intent = export(
        """
        parallel: 3
        max_file_size: 1.5MB
        skip_empty: true
        meta_columns: {exported_at: true, row_hash: [b, a]}
        quality: {row_count_min: 1, row_count_max: 10}
        on_schema_drift: fail
        shape_drift_warn_factor: 0
        target: bq
        """
    )
    assert intent.workers == 3
    assert intent.part_bytes == 1572864
    assert intent.skip_empty
    assert (intent.exported_at, intent.row_hash) == (True, ("b", "a"))
    assert (intent.row_count_min, intent.row_count_max) == (1, 10)
    assert (intent.on_schema_drift, intent.shape_drift_warn_factor, intent.target) == ("fail", 0.0, "bigquery")


@pytest.mark.parametrize(("written", "covered"), [("true", ()), ("false", None), ("[id]", ("id",))])
def test_a_row_hash_covers_all_columns_or_none_or_the_named_ones(export: Export, written: str, covered: Any) -> None:
    assert export(f"meta_columns: {{row_hash: {written}}}").row_hash == covered


@pytest.mark.parametrize(
    ("size", "bytes_"), [("1B", 1), ("1kb", 1024), ("1.5 KB", 1536), ("2MB", 2097152), ("0.5GB", 536870912)]
)
def test_sizes_are_in_binary_units(export: Export, size: str, bytes_: int) -> None:
    assert export(f"max_file_size: {size}").part_bytes == bytes_


@pytest.mark.parametrize("size", ["0MB", "0.0001B", "0", "MB", "-1MB", "64TB", "1e3MB", "99999999999999GB"])
def test_a_size_that_is_none_is_refused(export_problems: Problems, size: str) -> None:
    (problem,) = export_problems(f"max_file_size: {size}")
    assert (problem.place.path, problem.code) == ("exports[0].max_file_size", "RIVET_CONFIG_VALUE_INVALID")


@pytest.mark.parametrize(
    ("written", "relation"),
    [
        ("orders", Table("orders")),
        ("public.orders", Table("orders", "public")),
        ("'\"my table\"'", Table("my table")),
        ("'sales.\"2026.orders\"'", Table("2026.orders", "sales")),
        ('\'"say ""hi"""\'', Table('say "hi"')),
    ],
)
def test_a_table_has_at_most_a_schema_and_a_name(export: Export, written: str, relation: Table) -> None:
    assert export(f"table: {written}").relation == relation


@pytest.mark.parametrize("written", ["a.b.c", "'my table'", "a;drop", "'.a'", "'a.'", "1a", "größe", "'\"a'", "''"])
def test_a_name_that_is_no_table_is_refused(export_problems: Problems, written: str) -> None:
    (problem,) = export_problems(f"table: {written}")
    assert (problem.place.path, problem.code) == ("exports[0].table", "RIVET_CONFIG_EXPORT_SOURCE_INVALID")


def test_a_query_keeps_its_text_and_its_template(export: Export) -> None:
    intent = export("query: select * from t where day = '${DAY}'", params={"DAY": "2026-01-02"})
    assert intent.relation == Query("select * from t where day = '2026-01-02'")
    assert intent.relation_template == "select * from t where day = '${DAY}'"


def test_a_query_without_placeholders_has_no_template(export: Export) -> None:
    assert export("query: select 1").relation_template == ""


def test_a_query_file_is_read_and_its_placeholders_are_replaced(export: Export, tmp_path: Path) -> None:
    (tmp_path / "sql").mkdir()
    (tmp_path / "sql" / "q.sql").write_text("select '${A}', '$${B}'\n")
    intent = export("query_file: sql/q.sql", A="a")
    assert intent.relation == Query("select 'a', '${B}'\n")


def test_an_unset_variable_of_a_query_file_is_placed_in_that_file(export_problems: Problems, tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("select\n  '${A}', ${B}\n")
    first, second = export_problems("query_file: q.sql")
    assert [(p.code, p.place.file, p.place.line, p.place.column) for p in (first, second)] == [
        ("RIVET_CONFIG_SECRET_UNSET", "q.sql", 2, 4),
        ("RIVET_CONFIG_SECRET_UNSET", "q.sql", 2, 11),
    ]
    assert first.place.path == "exports[0].query_file"


@pytest.mark.parametrize("name", ["../q.sql", "/etc/hostname", "sql/../../q.sql", "link.sql", "'..\\q.sql'"])
def test_a_query_file_outside_of_the_folder_is_refused(export_problems: Problems, tmp_path: Path, name: str) -> None:
    (tmp_path / "link.sql").symlink_to("/etc/hostname")
    (problem,) = export_problems(f"query_file: {name}")
    assert (problem.place.path, problem.code) == ("exports[0].query_file", "RIVET_CONFIG_PATH_UNSAFE")


def test_a_query_file_that_is_not_there_is_refused(export_problems: Problems) -> None:
    (problem,) = export_problems("query_file: q.sql")
    assert problem.code == "RIVET_CONFIG_FILE_UNREADABLE"


@pytest.mark.parametrize("keys", ["query: select 1\ntable: t", "query: select 1\nquery_file: q.sql", "query: ''"])
def test_an_export_reads_exactly_one_relation(export_problems: Problems, keys: str) -> None:
    assert "RIVET_CONFIG_EXPORT_SOURCE_INVALID" in {problem.code for problem in export_problems(keys)}


def test_an_export_that_names_nothing_to_read_is_refused(problems: Problems) -> None:
    (problem,) = problems(
        """
        source: {type: duck, host: h}
        exports:
          - {name: orders, format: csv, destination: {type: stdout}}
        """
    )
    assert (problem.place.line, problem.code) == (4, "RIVET_CONFIG_EXPORT_SOURCE_INVALID")


def test_a_runner_that_names_its_own_relations_needs_none(export: Export) -> None:
    assert export("mode: stream").relation is None


def test_a_source_that_takes_no_queries_says_so(problems: Problems) -> None:
    (problem,) = problems(
        """
        source: {type: pond, path: p.db}
        exports:
          - name: orders
            query: select 1
            format: csv
            destination: {type: stdout}
        """
    )
    assert (problem.place.line, problem.code) == (5, "RIVET_CONFIG_EXPORT_SOURCE_INVALID")


def test_column_overrides_may_name_their_table_and_then_go_first(export: Export) -> None:
    intent = export("table: public.orders\ncolumns: {orders.id: bigint, id: text, public.orders.n: 'decimal(38, 9)'}")
    assert intent.rules.types == (("id", "bigint"), ("n", "decimal(38, 9)"))


def test_a_column_of_a_query_may_have_a_dot_in_its_name(export: Export) -> None:
    assert export("query: select 1\ncolumns: {a.b: text}").rules.types == (("a.b", "text"),)


def test_a_column_of_another_table_is_refused(export_problems: Problems) -> None:
    (problem,) = export_problems("columns:\n  users.id: bigint")
    assert codes((problem,)) == [('exports[0].columns."users.id"', 8, "RIVET_CONFIG_COLUMN_OVERRIDE_TABLE_UNKNOWN")]


@pytest.mark.parametrize(
    "word", ["integer", "decimal", "decimal(77,0)", "decimal(5,6)", "decimal(5,-2)", "time", "decimal(0,0)", "''"]
)
def test_a_type_word_that_is_none_is_refused(export_problems: Problems, word: str) -> None:
    (problem,) = export_problems(f'columns: {{id: "{word}"}}' if word != "''" else "columns: {id: ''}")
    assert problem.code == "RIVET_CONFIG_COLUMN_OVERRIDE_TYPE_INVALID"
    assert problem.remedy


@pytest.mark.parametrize("policy", list(InvalidValue))
def test_one_policy_holds_for_the_export(export: Export, policy: InvalidValue) -> None:
    assert export(f"on_invalid_value: {policy}").rules.on_invalid is policy


def test_a_column_may_have_a_policy_of_its_own(export: Export) -> None:
    rules = export("on_invalid_value: {orders.born: null, n: text, '*': fail}").rules
    assert (rules.policy("born"), rules.policy("n"), rules.policy("x")) == (
        InvalidValue.NULL,
        InvalidValue.TEXT,
        InvalidValue.FAIL,
    )


def test_an_empty_policy_is_not_the_policy_null(export_problems: Problems) -> None:
    (problem,) = export_problems("on_invalid_value:")
    assert "empty" in problem.message


def test_the_destination_is_anchored_at_the_file_and_its_prefix_is_a_template(export: Export, tmp_path: Path) -> None:
    intent = export("destination: {type: local, path: 'out/{export}/{date}'}")
    assert intent.prefix == str(tmp_path / "out/{export}/{date}")
    assert intent.destination.options.path == Path(intent.prefix)  # type: ignore[attr-defined]


def test_an_absolute_path_stays(export: Export) -> None:
    assert export("destination: {type: local, path: /data/x}").prefix == "/data/x"


def test_a_destination_without_a_prefix_has_an_empty_one(export: Export) -> None:
    assert export("destination: {type: stdout}").prefix == ""


@pytest.mark.parametrize("path", ["../x", "a/../../b", "a\\\\..\\\\b", "${UP}/x"])
def test_a_prefix_that_climbs_is_refused(export_problems: Problems, path: str) -> None:
    (problem,) = export_problems(f'destination: {{type: local, path: "{path}"}}', UP="..")
    assert (problem.place.path, problem.code) == ("exports[0].destination.path", "RIVET_CONFIG_PATH_UNSAFE")


@pytest.mark.parametrize("name", ["a/b", "a\\b", ".a", "a..b", "' a'", "''", "a#1", '"a\\tb"', "x" * 200])
def test_a_name_that_is_not_safe_in_a_file_name_is_refused(export_problems: Problems, name: str) -> None:
    (problem,) = export_problems(f"name: {name}")
    assert (problem.place.path, problem.code) == ("exports[0].name", "RIVET_CONFIG_PATH_UNSAFE")


@pytest.mark.parametrize("name", ["orders", "a.b", "2026", "orders-eu_1", "größe", "a b", "a#b", "no", "0123"])
def test_other_names_are_taken_as_written(export: Export, name: str) -> None:
    assert export(f"name: {name}").name == name


@pytest.mark.parametrize(
    "keys",
    [
        "parallel: 0",
        "parallel: -1",
        "quality: {row_count_min: -1}",
        "quality: {row_count_min: 5, row_count_max: 4}",
        "quality: {null_ratio_max: {a: 1.5}}",
        "quality: {unique_columns: [a, a]}",
        "quality: {unique_max_entries: 5}",
        "meta_columns: {row_hash: []}",
        "meta_columns: {row_hash: [a, a]}",
        "shape_drift_warn_factor: -1",
        "tuning: {batch_size: 0}",
        "tuning: {batch_size: 5, batch_size_memory_mb: 5}",
        "tuning: {profile: quick}",
        "target: redshift",
    ],
)
def test_a_value_out_of_its_range_is_refused_at_its_key(export_problems: Problems, keys: str) -> None:
    refused = [problem for problem in export_problems(keys) if problem.code != "RIVET_CONFIG_KEY_UNSUPPORTED"]
    assert [problem.code for problem in refused] == ["RIVET_CONFIG_VALUE_INVALID"]
    assert (refused[0].place.path or "").startswith(f"exports[0].{keys.split(':', maxsplit=1)[0]}")
    assert refused[0].place.line == 7


def test_options_of_the_format_stand_flat_or_nested(export: Export) -> None:
    flat = export("compression: none\ncompression_level: 3").format
    nested = export("format: {type: parquet, compression: none, compression_level: 3}").format
    assert flat == nested
    assert isinstance(flat, Chosen)


def test_an_option_that_is_not_flat_must_nest(export: Export, export_problems: Problems) -> None:
    assert export("format: {type: parquet, secret_sauce: x}").format.options.secret_sauce == "x"  # type: ignore[attr-defined]
    (problem,) = export_problems("secret_sauce: x")
    assert problem.place.path == "exports[0].secret_sauce"


def test_an_option_given_flat_and_nested_is_refused(export_problems: Problems) -> None:
    (problem,) = export_problems("compression: none\nformat: {type: parquet, compression: zstd}")
    assert "also given on line" in problem.message


def test_a_strangers_mode_nests_its_options(export: Export) -> None:
    intent = export("mode: {type: sliced, by: [day]}")
    assert (intent.mode.kind, intent.mode.options.by) == ("sliced", ("day",))  # type: ignore[attr-defined]


def test_a_missing_option_of_the_mode_is_reported_at_the_mode(export_problems: Problems) -> None:
    (problem,) = export_problems("mode: incremental")
    assert (problem.place.path, "'cursor_column' is missing" in problem.message) == ("exports[0].mode", True)


def test_the_keys_choose_among_the_runners_of_a_mode(export: Export) -> None:
    assert [chosen.kind for chosen in export("mode: chunked\nchunk_column: id").runners] == ["range"]
    intent = export("mode: chunked\nchunk_by_key: id\nchunk_size: 5")
    assert [chosen.kind for chosen in intent.runners] == ["seek"]
    assert intent.served_by("seek").mode == Chosen(kind="chunked", options=intent.runners[0].options)


def test_keys_that_no_runner_takes_together_are_refused(export_problems: Problems) -> None:
    refused = export_problems("mode: chunked\nchunk_by_key: id\nchunk_column: id")
    assert {problem.code for problem in refused} == {"RIVET_CONFIG_MODE_SETTING_INVALID"}


@pytest.mark.parametrize(
    ("keys", "owner"),
    [
        ("chunk_column: id", "mode chunked"),
        ("chunk_size: 5", "mode chunked"),
        ("chunk_by_key: id", "mode chunked"),
        ("keyset_incremental: true", "mode chunked"),
        ("cursor_column: id", "mode incremental"),
        ("settle: {after: 5m}", "mode incremental"),
        ("time_column: t", "mode time_window"),
        ("days_window: 3", "mode time_window"),
        ("cdc: {slot: s}", "mode cdc"),
        ("tables: [a]", "mode cdc"),
        ("format: csv\ncompression: zstd", "format parquet"),
        ("format: csv\nparquet: {row_group_rows: 5}", "format parquet"),
    ],
)
def test_a_key_that_the_mode_or_format_would_ignore_is_refused(
    export_problems: Problems, keys: str, owner: str
) -> None:
    (problem,) = export_problems(keys)
    assert problem.code == "RIVET_CONFIG_MODE_SETTING_INVALID"
    assert f"belongs to {owner}" in problem.message
    assert problem.place.path == f"exports[0].{keys.splitlines()[-1].split(':')[0]}"


def test_csv_may_say_that_it_is_not_compressed(export: Export) -> None:
    assert export("format: csv\ncompression: none").format.kind == "csv"


@pytest.mark.parametrize("keys", ["load: {pk: auto}", "partition_by: day", "partition_granularity: month"])
def test_a_key_that_is_not_served_yet_says_so(export_problems: Problems, keys: str) -> None:
    (problem,) = export_problems(keys)
    assert (problem.code, "not supported yet" in (problem.remedy or "")) == ("RIVET_CONFIG_KEY_UNSUPPORTED", True)


@pytest.mark.parametrize("keys", ["chunk_dense: true", "chunk_checkpoint: true"])
def test_a_key_of_the_mode_that_no_installed_runner_takes_says_so(export_problems: Problems, keys: str) -> None:
    (problem,) = export_problems(f"mode: chunked\nchunk_column: id\n{keys}")
    assert problem.code == "RIVET_CONFIG_KEY_UNSUPPORTED"


def test_gates_are_taken_as_they_stand(export: Export) -> None:
    intent = export("quality: {null_ratio_max: {a: 0.5}, unique_columns: [b]}\nverify: content")
    assert (intent.null_ratio_max, intent.unique_columns, intent.verify) == ((("a", 0.5),), ("b",), "content")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("quality: {null_ratio_max: {a: 1}, unique_columns: [a]}\nverify: content\nshape_drift_warn_factor: 2", []),
        ("tuning: {throttle_ms: 5, max_retries: 2, lock_timeout_s: 4, memory_threshold_mb: 7, adaptive: false}", []),
        ("tuning: {max_batch_memory_mb: 5, on_batch_memory_exceeded: fail, max_value_mb: 1, batch_size: 7}", []),
        ("target: bq", ["target has no effect yet"]),
        ("tuning: {adaptive: , min_parallel: , lock_timeout_s: }\ntarget:", []),
        ("tuning: {adaptive: true, min_parallel: 2}", ["tuning.min_parallel has no effect yet"]),
        (
            "destination: {type: local, path: 'out/{dat}/{partition}'}",
            ["did you mean {date}", "{partition} stands for nothing"],
        ),
    ],
)
def test_what_has_no_effect_is_a_warning(warnings: Callable[..., list[str]], keys: str, words: list[str]) -> None:
    found = warnings(keys)
    assert len(found) == len(words)
    assert all(word in line for word, line in zip(words, found, strict=True))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *(
            (value, ["tuning.adaptive has no effect on this kind of source"])
            for value in ("true", "True", "'${X:-true}'")
        ),
        *((value, []) for value in ("", "~", "false", "False", "'${X:-false}'")),
    ],
)
def test_adapting_to_a_source_that_tells_no_pressure_is_a_warning(
    read: Callable[..., Configuration], value: str, words: list[str]
) -> None:
    text = f"""
        source: {{type: pond, path: p, tuning: {{adaptive: {value}}}}}
        exports: [{{name: a, table: a, format: parquet, destination: {{type: local, path: out}}}}]
    """
    assert [warning.message for warning in read(text).warnings] == words


def test_no_digests_are_asked_of_a_store_that_keeps_none(export_problems: Problems) -> None:
    (problem,) = export_problems("destination: {type: stdout}\nverify: content")
    assert (problem.place.path, problem.place.line) == ("exports[0].verify", 7)


@pytest.mark.parametrize("query", ["", "  ", ";", " ; -- x", "/* a */ ;; -- b", "-- x\\n ; "])
@pytest.mark.parametrize("given", ["key", "file"])
def test_a_query_says_something(export_problems: Problems, tmp_path: Path, query: str, given: str) -> None:
    (tmp_path / "q.sql").write_text(query.replace("\\n", "\n"))
    keys = f'query: "{query}"' if given == "key" else "query_file: q.sql"
    (problem,) = export_problems(keys)
    assert problem.code == "RIVET_CONFIG_EXPORT_SOURCE_INVALID"
    assert problem.remedy == "write a SELECT"
