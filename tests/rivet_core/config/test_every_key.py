"""Each key of the file, misspelt, mistyped and misplaced once: an error with its path and line, exit 1."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rivet_core.config import Configuration, ConfigurationInvalid, Problem
from rivet_core.config.hints import alternatives, option_fields
from rivet_core.config.keys import ExportKeys, RootKeys, SlackKeys, SourceKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Path = tuple[str | int, ...]

TUNING = {
    "profile": "safe",
    "batch_size": 5,
    "throttle_ms": 5,
    "statement_timeout_s": 5,
    "lock_timeout_s": 5,
    "max_retries": 5,
    "retry_backoff_ms": 5,
    "memory_threshold_mb": 5,
    "max_batch_memory_mb": 5,
    "on_batch_memory_exceeded": "fail",
    "max_value_mb": 5,
    "adaptive": True,
    "min_parallel": 5,
}
FILE: dict[str, Any] = {
    "source": {
        "type": "duck",
        "host": "h",
        "port": 5,
        "tls": {"mode": "disable", "ca_file": "ca.pem"},
        "environment": "replica",
        "tuning": TUNING,
    },
    "exports": [
        {
            "name": "orders",
            "query": "select 1",
            "mode": "incremental",
            "cursor_column": "id",
            "format": "parquet",
            "compression": "zstd",
            "parquet": {"row_group_rows": 5},
            "destination": {"type": "s3", "bucket": "b", "prefix": "orders", "allow_anonymous": True},
            "columns": {"id": "bigint"},
            "on_invalid_value": "text",
            "parallel": 2,
            "max_file_size": "5MB",
            "skip_empty": True,
            "verify": "content",
            "meta_columns": {"exported_at": True, "row_hash": ["id"]},
            "quality": {
                "row_count_min": 1,
                "row_count_max": 5,
                "null_ratio_max": {"id": 0.5},
                "unique_columns": ["id"],
                "unique_max_entries": 5,
            },
            "on_schema_drift": "fail",
            "shape_drift_warn_factor": 1.5,
            "target": "duckdb",
            "tuning": {"batch_size_memory_mb": 5},
            "source_group": "g",
            "reconcile_required": True,
            "wave": 1,
            "parallel_safe": True,
        },
        {
            "name": "users",
            "table": "users",
            "mode": {"type": "sliced", "by": ["day"], "depth": 2},
            "format": {"type": "parquet", "compression": "none", "compression_level": 5},
            "destination": {"type": "local", "path": "users"},
        },
        {"name": "files", "query_file": "q.sql", "format": "csv", "destination": {"type": "stdout"}},
    ],
    "notifications": {"slack": {"webhook_url_env": "HOOK", "on": ["failure"]}},
    "parallel_exports": True,
}
#: Mappings whose keys are the user's own.
FREE = {"columns", "null_ratio_max"}


def keys(node: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every key that the file's rules know."""
    if isinstance(node, dict):
        for key, value in node.items():
            if not (path and path[-1] in FREE):
                yield (*path, key)
                yield from keys(value, (*path, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from keys(item, (*path, index))


def words(path: Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def held(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def line_of(text: str, path: Path) -> int:
    """Return the line of a key, counted by PyYAML alone."""
    node, line = yaml.compose(text), 0
    for step in path:
        if isinstance(step, int):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            key, node = next((key, value) for key, value in node.value if key.value == step)
            line = key.start_mark.line + 1
    return line


def problems_of(read: Callable[..., Configuration], text: str) -> set[Problem]:
    """Return what is wrong with a text, whose refusal is exit 1."""
    try:
        read(text)
    except ConfigurationInvalid as refused:
        found, status = set(refused.problems), refused.exit
    else:
        return set()
    assert status == 1
    return found


@pytest.fixture
def found(read: Callable[..., Configuration], tmp_path: Any) -> Callable[[Any], tuple[str, set[Problem]]]:
    """Return the text of a tree, and its problems."""
    (tmp_path / "q.sql").write_text("select 1")

    def find(tree: Any) -> tuple[str, set[Problem]]:
        text = yaml.dump(tree, Dumper=_NoAliases, sort_keys=False)
        return text, problems_of(read, text)

    return find


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def test_the_file_itself_is_sound(found: Callable[[Any], tuple[str, set[Problem]]]) -> None:
    assert found(FILE)[1] == set()


def test_the_file_has_every_built_in_key() -> None:
    named = {path[-1] for path in keys(FILE)}
    classes: list[type] = [RootKeys, SourceKeys, ExportKeys, SlackKeys]
    for cls in classes:
        for field in option_fields(cls):
            assert field.key in named | {"webhook_url"}
            classes += [
                part
                for part in alternatives(field.hint)
                if hasattr(part, "__attrs_attrs__") and part not in classes and part.__module__.endswith(".keys")
            ]


@pytest.mark.parametrize("path", list(keys(FILE)), ids=words)
def test_a_misspelt_key_is_reported(found: Callable[[Any], tuple[str, set[Problem]]], path: Path) -> None:
    tree = copy.deepcopy(FILE)
    parent, key = held(tree, path[:-1]), str(path[-1])
    misspelt = key[:-1] + "_" + key[-1]
    parent[misspelt] = parent.pop(key)
    wrong = (*path[:-1], misspelt)
    text, problems = found(tree)
    hit = [problem for problem in problems if problem.place.path == words(wrong)]
    assert [problem.place.line for problem in hit] == [line_of(text, wrong)]
    assert hit[0].remedy


@pytest.mark.parametrize("path", list(keys(FILE)), ids=words)
def test_a_mistyped_value_is_reported(found: Callable[[Any], tuple[str, set[Problem]]], path: Path) -> None:
    tree = copy.deepcopy(FILE)
    parent = held(tree, path[:-1])
    parent[path[-1]] = "wrong" if isinstance(parent[path[-1]], dict | list) else {"wrong": ["wrong"]}
    text, problems = found(tree)
    hit = [problem for problem in problems if (problem.place.path or "").startswith(words(path))]
    assert hit
    line = line_of(text, path)
    assert all(line <= (problem.place.line or 0) <= line + 2 for problem in hit)


def above(path: Path) -> Path:
    """Return the block that a key is moved to: the one around its own, and for the file's own keys one beside them."""
    if len(path) == 1:
        return ("source",) if path[0] == "notifications" else ("notifications",)
    home = path[:-1]
    return home[:-2] if isinstance(home[-1], int) else home[:-1]


def strange_above(path: Path) -> bool:
    """Whether a key means nothing in the block above; the format's flat options mean the same there."""
    return path[-1] not in held(FILE, above(path)) and path[2:-1] != ("format",)


@pytest.mark.parametrize("path", [path for path in keys(FILE) if strange_above(path)], ids=words)
def test_a_misplaced_key_is_reported(found: Callable[[Any], tuple[str, set[Problem]]], path: Path) -> None:
    tree = copy.deepcopy(FILE)
    value = held(tree, path[:-1]).pop(path[-1])
    placed = (*above(path), str(path[-1]))
    held(tree, placed[:-1])[placed[-1]] = value
    text, problems = found(tree)
    hit = [problem for problem in problems if problem.place.path == words(placed)]
    assert [problem.place.line for problem in hit] == [line_of(text, placed)]


trees = st.recursive(
    st.sampled_from(["", "~", "true", "5", "-1", "1:30", "${A}", "${", "x", "a/../b", "null", "{date}", "\u2028"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "a", "name", "on", "${A}"]), inner)
    ),
    max_leaves=4,
)


@given(st.sampled_from(list(keys(FILE))), trees)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_value_of_any_key_breaks_the_reading(read: Callable[..., Configuration], path: Path, value: Any) -> None:
    tree = copy.deepcopy(FILE)
    held(tree, path[:-1])[path[-1]] = value
    # Unquoted, so that YAML's own ideas of the words come into play.
    text = re.sub("'(true|5|-1|1:30|null|~)'", r"\1", yaml.dump(tree, Dumper=_NoAliases, sort_keys=False))
    assert all(problem.place.line and problem.message for problem in problems_of(read, text))
