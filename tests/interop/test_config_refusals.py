"""Files that one of the tools refuses before anything connects: where only one does, it stands in a list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from interop_pair import family
from interop_reading import ABSENT, EXPORT, SOURCE, Reading, file

URL = SOURCE["url"]
TWO = [EXPORT, {**EXPORT, "name": "y"}]


def of(**export: Any) -> dict[str, Any]:
    return file(export=export)


def source(**keys: Any) -> dict[str, Any]:
    return file(source={"type": "postgres", **keys})


def tuned(**tuning: Any) -> dict[str, Any]:
    return of(tuning=tuning)


def to(**destination: Any) -> dict[str, Any]:
    return of(destination=destination)


def slack(**keys: Any) -> dict[str, Any]:
    return file(notifications={"slack": keys})


def text(*lines: str) -> str:
    """A file with one sound export, and lines of it replaced or added."""
    return "\n".join(
        [
            f"source: {{type: postgres, url: '{URL}'}}",
            "exports:",
            *(lines or ("- {name: x, table: items, format: parquet, destination: {type: local, path: out}}",)),
        ]
    )


BOTH: dict[str, Any] = {
    "an empty file": "",
    "a list": "[]",
    "no YAML": "{",
    "two documents": text() + "\n---\n" + text(),
    "a key given twice": text() + "\nexports: []",
    "an unknown key of the file": file(export_s=[]),
    "an anchor in a key of its own": "x: &a 1\n" + text(),
    "no source": {"exports": [EXPORT]},
    "no exports": {"source": SOURCE},
    "an empty list of exports": {"source": SOURCE, "exports": []},
    "exports that are empty": {"source": SOURCE, "exports": None},
    "one name twice": file(exports=[EXPORT, {**EXPORT, "destination": {"type": "local", "path": "b"}}]),
    "an unknown source": file(source={"type": "duckdb", "url": "d"}),
    "an unknown key of the source": source(url=URL, prot=1),
    "tuning beside tuning": source(url=URL, batch_size=5),
    "no way to connect": source(),
    "two URLs": source(url=URL, url_env="DATABASE_URL"),
    "a URL beside its parts": source(url=URL, host="h"),
    "half of the parts": source(host="h", user="u"),
    "two passwords": source(host="h", user="u", database="d", password="a", password_env="B"),
    "an unknown environment": source(url=URL, environment="test"),
    "an unknown mode of TLS": source(url=URL, tls={"mode": "prefer"}),
    "TLS that contradicts itself": source(url=URL, tls={"mode": "verify-full", "accept_invalid_certs": True}),
    "an unknown profile": tuned(profile="slow"),
    "a negative pause": tuned(throttle_ms=-1),
    "rows and memory of a batch": tuned(batch_size=5, batch_size_memory_mb=5),
    "a number in quotes": tuned(batch_size="100"),
    "a number with a fraction": tuned(batch_size=1.5),
    "an octal number of YAML 1.1": text().replace("format", "tuning: {batch_size: 0100}, format"),
    "a word for a truth value": text().replace("format", "skip_empty: yes, format"),
    "a path for a name": of(name="a/b"),
    "a hidden name": of(name=".a"),
    "dots in a name": of(name="a..b"),
    "an empty name": of(name=""),
    "no name": of(name=ABSENT),
    "no format": of(format=ABSENT),
    "no destination": of(destination=ABSENT),
    "a destination without a type": to(path="out"),
    "a path that climbs out": to(type="local", path="out/../x"),
    "an unknown key of an export": of(tunning={}),
    "an unknown key of the quality": of(quality={"rows": 1}),
    "an unknown key of a destination": to(type="local", path="out", pth="x"),
    "nothing to read": of(table=ABSENT),
    "two things to read": of(query="SELECT 1"),
    "a query file above": of(table=ABSENT, query_file="../q.sql"),
    "a query file elsewhere": of(table=ABSENT, query_file="/q.sql"),
    "a level for a codec without": of(compression="snappy", compression_level=3),
    "a level of zstd below": of(compression_level=0),
    "a level of zstd above": of(compression_level=23),
    "a level of gzip above": of(compression="gzip", compression_level=10),
    "an unknown codec": of(compression="brotli"),
    "an unknown compression profile": of(compression_profile="best"),
    "an unknown strategy of row groups": of(parquet={"row_group_strategy": "rows"}),
    "compressed CSV": of(format="csv", compression="gzip"),
    "CSV of a profile": of(format="csv", compression_profile="fast"),
    "a size of nothing": of(max_file_size="0B"),
    "a size of another unit": of(max_file_size="10K"),
    "an unknown policy of drift": of(on_schema_drift="ignore"),
    "an unknown verification": of(verify="md5"),
    "a row hash of nothing": of(meta_columns={"row_hash": []}),
    "a row hash of one column twice": of(meta_columns={"row_hash": ["a", "a"]}),
    "a negative number of rows": of(quality={"row_count_min": -1}),
    "an unknown notification": slack(webhook_url_env="H", on=["success"]),
    "a key of chunks": of(chunk_size=5),
    "a checkpoint of chunks": of(chunk_checkpoint=True),
    "a key of seeking": of(chunk_by_key="id"),
    "a settling time": of(settle={"after": "5m"}),
    "changes without their mode": of(cdc={"slot": "s"}),
    "partitions in one place": of(partition_by="day"),
    "a load of one export alone": of(load={"pk": "auto"}),
    "a mapping that is empty where it cannot be": of(columns=None),
    "a variable that is not set": text().replace("items", "${NOT_SET}"),
}
#: Both refuse, but the codes are of different families.
OTHER_FAMILY = {
    # Any word may be the kind of a plugin that is not installed.
    "an unknown source": "RIVET_PLUGIN",
}

#: Refused here although the Rust tool begins to run it: docs/compatibility.md gives the reason under these words.
OURS_ALONE: dict[str, tuple[str, Any]] = {
    "a cursor in a full export": ("cursor_column", of(cursor_column="id")),
    "a window in a full export": ("time_column", of(time_column="moment", days_window=3)),
    "a cursor's mode in a full export": ("incremental_cursor_mode", of(incremental_cursor_mode="coalesce")),
    "a column's unit in a full export": ("time_column_type", of(time_column_type="unix")),
    "a size of partitions": ("partition_granularity", of(partition_granularity="month")),
    "a level beside a profile": ("compression_level", of(compression_profile="compact", compression_level=3)),
    "a level for CSV": ("compression_level", of(format="csv", compression_level=3)),
    "row groups for CSV": ("parquet", of(format="csv", parquet={"row_group_rows": 5})),
    "rows of a group that the strategy ignores": ("row_group_rows", of(parquet={"row_group_rows": 5})),
    "a target that the strategy ignores": (
        "target_row_group_mb",
        of(parquet={"row_group_strategy": "fixed_rows", "row_group_rows": 5, "target_row_group_mb": 5}),
    ),
    "groups of no given rows": ("row_group_strategy", of(parquet={"row_group_strategy": "fixed_rows"})),
    "groups of no memory": ("target_row_group_mb", of(parquet={"target_row_group_mb": 0})),
    "a share above one": ("null_ratio_max", of(quality={"null_ratio_max": {"a": 1.5}})),
    "a bound of nothing": ("unique_max_entries", of(quality={"unique_max_entries": 5})),
    "more rows than the most": ("row_count_min", of(quality={"row_count_min": 5, "row_count_max": 4})),
    "a negative factor": ("shape_drift_warn_factor", of(shape_drift_warn_factor=-1.0)),
    "an endless factor": (
        "shape_drift_warn_factor",
        text().replace("format", "shape_drift_warn_factor: .inf, format"),
    ),
    "an unknown warehouse": ("target", of(target="redshift")),
    "no workers": ("parallel", of(parallel=0)),
    "no rows of a batch": ("batch_size", tuned(batch_size=0)),
    "no memory of a batch": ("batch_size_memory_mb", tuned(batch_size_memory_mb=0)),
    "no memory at all": ("max_batch_memory_mb", tuned(max_batch_memory_mb=0)),
    "no least workers": ("min_parallel", tuned(min_parallel=0)),
    "a time beyond the server's": ("lock_timeout_s", tuned(lock_timeout_s=9_999_999_999)),
    "a hexadecimal number": ("0x", text().replace("format", "tuning: {batch_size: 0x64}, format")),
    "a name of a part": ("x#1", of(name="x#1")),
    "a name that is empty": ("name", of(name=None)),
    "two exports at one place": ("one prefix", file(exports=TWO)),
    "a folder without a path": ("path", to(type="local")),
    "a path of nothing": ("path", to(type="local", path="")),
    "a bucket of a folder": ("bucket", to(type="local", path="out", bucket="b")),
    "a prefix of a folder": ("prefix", to(type="local", path="out", prefix="p")),
    "a budget of a folder": ("oneshot_budget_mb", to(type="local", path="out", oneshot_budget_mb=5)),
    "a folder of a stream": ("path", to(type="stdout", path="out")),
    "two addresses": ("webhook_url", slack(webhook_url="https://h/x", webhook_url_env="H")),
    "no address": ("webhook_url", slack(on=["failure"])),
    "a placeholder that holds YAML": (
        "piece of YAML",
        text().replace("table: items", "${REST}"),
    ),
}
VARIABLES = {"REST": "table: items, skip_empty: true", "B": "true", "T": "items"}

#: Refused by the Rust tool and read here.
THEIRS_ALONE: dict[str, tuple[str, Any]] = {
    "a byte order mark": ("mark", "\ufeff" + text()),
    "merged keys": (
        "<<",
        text(
            "- &a {name: x, table: items, format: parquet, destination: {type: local, path: 'out/{export}'}}",
            "- {<<: *a, name: y}",
        ),
    ),
    "a default of a placeholder": ("default", text().replace("items", "${NOT_SET:-items}")),
    "a placeholder in a comment": ("comment", "# ${NOT_SET}\n" + text()),
    "a quoted placeholder of a truth value": ("quoted", text().replace("format", 'skip_empty: "${B}", format')),
    "tuning that an export replaces": (
        "batch_size_memory_mb",
        file(source={**SOURCE, "tuning": {"batch_size": 5}}, export={"tuning": {"batch_size_memory_mb": 5}}),
    ),
    "certificates that are not looked at": (
        "accept_invalid_certs",
        source(url=URL, tls={"mode": "require", "accept_invalid_certs": True}),
    ),
}


@pytest.fixture
def reading(rust_tool: Any, tmp_path: Path) -> Reading:
    return Reading(rust=rust_tool.path, folder=tmp_path)


def ours(reading: Reading, tree: Any) -> set[str]:
    return {problem.code for problem in reading.problems(tree, **VARIABLES)}


@pytest.mark.parametrize("what", BOTH)
def test_both_refuse(reading: Reading, what: str) -> None:
    theirs = reading.theirs(BOTH[what], **VARIABLES)
    found = {family(code) for code in ours(reading, BOTH[what])}
    assert theirs is not None
    assert found == {OTHER_FAMILY.get(what, family(theirs))}


@pytest.mark.parametrize("what", OURS_ALONE)
def test_what_only_we_refuse_is_listed_with_its_reason(reading: Reading, told: str, what: str) -> None:
    word, tree = OURS_ALONE[what]
    assert reading.theirs(tree, **VARIABLES) is None
    assert reading.problems(tree, **VARIABLES) != ()
    assert word in told


@pytest.mark.parametrize("what", OURS_ALONE)
def test_what_only_we_refuse_says_what_to_do(reading: Reading, what: str) -> None:
    for problem in reading.problems(OURS_ALONE[what][1], **VARIABLES):
        assert problem.place.line is not None
        assert problem.code.startswith("RIVET_CONFIG_")


@pytest.mark.parametrize("what", THEIRS_ALONE)
def test_what_only_the_rust_tool_refuses_is_listed(reading: Reading, told: str, what: str) -> None:
    word, tree = THEIRS_ALONE[what]
    assert reading.theirs(tree, **VARIABLES) is not None
    assert reading.problems(tree, **VARIABLES) == ()
    assert word in told
