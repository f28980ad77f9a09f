"""Two mistakes in one file are told together, whatever they are, and nothing is told that is no mistake of its own."""

from __future__ import annotations

import copy
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.config import Problem

    Problems = Callable[..., tuple[Problem, ...]]

BASE: dict[str, Any] = {
    "source": {"type": "duck", "host": "h", "tls": {"mode": "disable"}, "tuning": {"max_retries": 1}},
    "exports": [
        {
            "name": name,
            "table": "t",
            "format": "parquet",
            "destination": {"type": "s3", "bucket": "b", "prefix": f"raw/{name}"},
            "quality": {"row_count_min": 1},
            "meta_columns": {"exported_at": True},
            "tuning": {"max_retries": 1},
        }
        for name in ("a", "b")
    ],
}
#: What is put where, and the paths of the problems that it makes.
MISTAKES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "an unknown key at the top": ({"export": 1}, {"export"}),
    "a misspelt host": ({"source.hots": "h", "source.host": None}, {"source.hots"}),
    "no port": ({"source.port": "x"}, {"source.port"}),
    "a port out of range": ({"source.port": 99999}, {"source.port"}),
    "two addresses": ({"source.url": "duck://h"}, {"source.url"}),
    "another scheme": ({"source.url": "mysql://h", "source.host": None}, {"source.url"}),
    "a mode of TLS": ({"source.tls.mode": "verify"}, {"source.tls.mode"}),
    "a negative throttle": ({"source.tuning.throttle_ms": -1}, {"source.tuning.throttle_ms"}),
    "a lock of for ever": ({"source.tuning.lock_timeout_s": 99999999}, {"source.tuning.lock_timeout_s"}),
    "rows and memory": (
        {"source.tuning.batch_size": 1, "source.tuning.batch_size_memory_mb": 1},
        {"source.tuning.batch_size_memory_mb"},
    ),
    "a misspelt tuning": ({"source.tuning.max_retires": 1}, {"source.tuning.max_retires"}),
    "an export's rows and memory": (
        {"exports.0.tuning.batch_size": 1, "exports.0.tuning.batch_size_memory_mb": 1},
        {"exports[0].tuning.batch_size_memory_mb"},
    ),
    "an export's lock": ({"exports.1.tuning.lock_timeout_s": 99999999}, {"exports[1].tuning.lock_timeout_s"}),
    "an export's tuning": ({"exports.1.tuning.batch_sise": 1}, {"exports[1].tuning.batch_sise"}),
    "an unknown key": ({"exports.0.formt": 1}, {"exports[0].formt"}),
    "a shared prefix": (
        {"exports.1.destination.prefix": "raw", "exports.0.destination.prefix": "raw"},
        {"exports[1].destination"},
    ),
    "a key of a bucket": ({"exports.0.destination.buket": 1}, {"exports[0].destination.buket"}),
    "two relations": ({"exports.0.query": "q"}, {"exports[0].query", "exports[0].table"}),
    "rows the wrong way": ({"exports.0.quality.row_count_max": 0}, {"exports[0].quality.row_count_min"}),
    "a ratio": ({"exports.0.quality.null_ratio_max": {"c": 2}}, {"exports[0].quality.null_ratio_max"}),
    "twice unique": ({"exports.1.quality.unique_columns": ["c", "c"]}, {"exports[1].quality.unique_columns"}),
    "a size": ({"exports.0.max_file_size": "x"}, {"exports[0].max_file_size"}),
    "a type": ({"exports.0.columns": {"c": "decimal(5,-2)"}}, {"exports[0].columns.c"}),
    "another table": ({"exports.1.columns": {"u.c": "int"}}, {"exports[1].columns.u.c"}),
    "no workers": ({"exports.0.parallel": 0}, {"exports[0].parallel"}),
    "an empty hash": ({"exports.0.meta_columns.row_hash": []}, {"exports[0].meta_columns.row_hash"}),
    "a level": ({"exports.0.compression_level": 99}, {"exports[0].compression_level"}),
    "a mode": ({"exports.1.mode": "fool"}, {"exports[1].mode"}),
    "a webhook": ({"notifications": {"slack": {"on": ["x"], "webhook_url": "u"}}}, {"notifications.slack.on[0]"}),
    "no webhook": ({"notifications": {"slack": {"on": ["failure"]}}}, {"notifications.slack"}),
}  # fmt: skip


def put(tree: Any, path: str, value: Any) -> None:
    *above, last = path.split(".")
    for part in above:
        tree = tree[int(part)] if isinstance(tree, list) else tree.setdefault(part, {})
    if value is None:
        tree.pop(last, None)
    else:
        tree[last] = value


def told(problems: Problems, *names: str) -> set[str]:
    tree = copy.deepcopy(BASE)
    for name in names:
        for path, value in MISTAKES[name][0].items():
            put(tree, path, value)
    return {(problem.place.path or "").replace('"', "") for problem in problems(json.dumps(tree))}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_alone(problems: Problems, name: str) -> None:
    assert told(problems, name) <= MISTAKES[name][1]


#: Both change one value, so that there is one mistake only.
ONE = [
    {"no port", "a port out of range"},
    {"two addresses", "another scheme"},
    {"a misspelt host", "two addresses"},
    {"a misspelt host", "another scheme"},
    {"a webhook", "no webhook"},
]


@pytest.mark.slow
@pytest.mark.parametrize("first", MISTAKES)
def test_two_mistakes_are_told_together(problems: Problems, first: str) -> None:
    hidden = {}
    for second in MISTAKES:
        if second == first or {first, second} in ONE:
            continue
        found, ours, others = told(problems, first, second), MISTAKES[first][1], MISTAKES[second][1]
        if not (found & ours and found & others and found <= ours | others):
            hidden[second] = found
    assert hidden == {}


def test_the_mistakes_are_many() -> None:
    assert len(list(itertools.combinations(MISTAKES, 2))) > 400
