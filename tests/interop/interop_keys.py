"""Every key of the Rust tool's files, with a value: those that mean the same here, and those that nothing serves."""

from __future__ import annotations

import copy
from typing import Any

import attrs
from interop_reading import ABSENT, EXPORT, SOURCE, file

HOST = {"type": "postgres", "host": "127.0.0.1", "user": "u", "database": "d"}
TYPE = {"type": "postgres"}


@attrs.frozen
class Said:
    """A key with a value that means something.

    :param value: what is written.
    :param beside: further keys of its block that it needs, or without which it would be refused; a block replaces one
        of our own.
    :param otherwise: what is written instead to see the difference; absent when nothing is said.
    """

    value: Any
    beside: dict[str, Any] = attrs.field(factory=dict)
    otherwise: Any = ABSENT


#: Without these there is no file.
NEEDED = {
    *("source", "source.type", "exports", "exports[].name", "exports[].format"),
    *("exports[].destination", "exports[].destination.type"),
}
TUNING = {
    "profile": Said("safe"),
    "batch_size": Said(5),
    "batch_size_memory_mb": Said(5),
    "throttle_ms": Said(5),
    "statement_timeout_s": Said(5),
    "max_retries": Said(5),
    "retry_backoff_ms": Said(5),
    "lock_timeout_s": Said(5),
    "memory_threshold_mb": Said(5),
    "max_batch_memory_mb": Said(5),
    "on_batch_memory_exceeded": Said("fail"),
    "adaptive": Said(value=True),
    "min_parallel": Said(5),
    "max_value_mb": Said(5),
}
SAME: dict[str, Said] = {
    "source": Said(HOST, otherwise=SOURCE),
    "source.type": Said("postgres", SOURCE),
    "source.url": Said("postgresql://u@127.0.0.1/e", TYPE, otherwise="postgresql://u@127.0.0.1/f"),
    "source.url_env": Said("DATABASE", TYPE, otherwise="OTHER"),
    "source.url_file": Said("url.txt", TYPE, otherwise="other.txt"),
    "source.host": Said("localhost", HOST, otherwise="127.0.0.1"),
    "source.port": Said(5433, HOST),
    "source.user": Said("v", HOST, otherwise="u"),
    "source.password": Said("secret", HOST),
    "source.password_env": Said("PASSWORD", HOST),
    "source.database": Said("e", HOST, otherwise="d"),
    "source.environment": Said("local", SOURCE),
    "source.tuning": Said({"batch_size": 5}, SOURCE),
    **{f"source.tuning.{key}": said for key, said in TUNING.items()},
    "source.tls": Said({"mode": "disable"}, SOURCE),
    "source.tls.mode": Said("verify-ca"),
    "source.tls.ca_file": Said("ca.pem"),
    "source.tls.accept_invalid_certs": Said(value=True),
    "source.tls.accept_invalid_hostnames": Said(value=True),
    "exports": Said([EXPORT], otherwise=[{**EXPORT, "name": "y"}]),
    "exports[].name": Said("y", otherwise="x"),
    "exports[].query": Said("SELECT 1 AS one", {"table": ABSENT}, otherwise="SELECT 2 AS one"),
    "exports[].query_file": Said("one.sql", {"table": ABSENT}, otherwise="two.sql"),
    "exports[].table": Said("other", otherwise="items"),
    "exports[].parallel": Said(5),
    "exports[].format": Said("csv", otherwise="parquet"),
    "exports[].compression": Said("snappy"),
    "exports[].compression_level": Said(5),
    "exports[].compression_profile": Said("compact"),
    "exports[].skip_empty": Said(value=True),
    "exports[].destination": Said({"type": "stdout"}, otherwise={"type": "local", "path": "x"}),
    "exports[].destination.type": Said("local", {"path": "out"}),
    "exports[].destination.path": Said("elsewhere", otherwise="out"),
    "exports[].verify": Said("content"),
    "exports[].meta_columns": Said({"exported_at": True}),
    "exports[].meta_columns.exported_at": Said(value=True),
    "exports[].meta_columns.row_hash": Said(["b", "a"], otherwise=True),
    "exports[].quality": Said({"row_count_min": 5}),
    "exports[].quality.row_count_min": Said(5),
    "exports[].quality.row_count_max": Said(5),
    "exports[].quality.null_ratio_max": Said({"a": 0.5}),
    "exports[].quality.unique_columns": Said(["a"]),
    "exports[].quality.unique_max_entries": Said(5, {"unique_columns": ["a"]}),
    "exports[].max_file_size": Said("5MB"),
    "exports[].tuning": Said({"batch_size": 5}),
    **{f"exports[].tuning.{key}": said for key, said in TUNING.items()},
    "exports[].columns": Said({"a": "bigint"}),
    "exports[].target": Said("duckdb"),
    "exports[].on_schema_drift": Said("fail"),
    "exports[].shape_drift_warn_factor": Said(5.0),
    "exports[].parquet": Said({"max_row_group_mb": 5}),
    "exports[].parquet.row_group_strategy": Said("fixed_memory"),
    "exports[].parquet.row_group_rows": Said(5, {"row_group_strategy": "fixed_rows"}, otherwise=6),
    "exports[].parquet.target_row_group_mb": Said(5),
    "exports[].parquet.max_row_group_mb": Said(5),
    "notifications": Said({"slack": {"webhook_url_env": "HOOK"}}),
    "notifications.slack": Said({"webhook_url_env": "HOOK"}),
    "notifications.slack.webhook_url": Said("https://hooks.example/x", otherwise="https://hooks.example/y"),
    "notifications.slack.webhook_url_env": Said("HOOK", otherwise="OTHER"),
    "notifications.slack.on": Said(["failure", "degraded"], {"webhook_url_env": "HOOK"}),
    "parallel_exports": Said(value=True),
}
#: Kept for other tools in both programs: a run is the same with and without them.
ADVICE = {
    "exports[].wave": Said(1),
    "exports[].parallel_safe": Said(value=True),
    "exports[].source_group": Said("g"),
    "exports[].reconcile_required": Said(value=True),
}
#: Read, and said aloud to have no effect yet.
WARNED = {"exports[].target", *(f"{block}.tuning.min_parallel" for block in ("source", "exports[]"))}


@attrs.frozen
class Refused:
    """A key that the Rust tool takes in some file, which we refuse.

    :param export: further keys of the export in that file.
    :param keys: further keys of the file.
    :param where: the path that the refusal names, and its code.
    """

    value: Any
    where: str
    code: str
    beside: dict[str, Any] = attrs.field(factory=dict)
    export: dict[str, Any] = attrs.field(factory=dict)
    source: dict[str, Any] | None = None
    keys: dict[str, Any] = attrs.field(factory=dict)


MISSING = "RIVET_PLUGIN_MISSING"
UNSUPPORTED = "RIVET_CONFIG_KEY_UNSUPPORTED"
UNKNOWN = "RIVET_CONFIG_YAML_INVALID"
LOAD = {"target": "bigquery", "project": "p", "dataset": "d"}
SNOWFLAKE = {
    "target": "snowflake",
    **dict.fromkeys(("connection", "warehouse", "database", "schema", "storage_integration"), "s"),
}
CLICKHOUSE = {"target": "clickhouse", "url": "https://127.0.0.1", "database": "d", "user": "u", "password_env": "P"}
RANGE = {"column": "a", "start": 0, "end": 9, "interval": 3}


def of_mode(mode: str, value: Any, **export: Any) -> Refused:
    return Refused(value, "exports[0].mode", MISSING, export={"mode": mode, **export})


def of_load(value: Any, **beside: Any) -> Refused:
    return Refused(value, "load", UNSUPPORTED, beside=beside or LOAD)


def of_export_load(value: Any, **beside: Any) -> Refused:
    return Refused(value, "exports[0].load", UNSUPPORTED, beside=beside, keys={"load": LOAD})


def of_store(kind: str, value: Any, **beside: Any) -> Refused:
    destination = {"type": kind, "bucket": "b", **beside}
    return Refused(value, "exports[0].destination.type", MISSING, export={"destination": destination})


def of_mongo(value: Any) -> Refused:
    return Refused(value, "source.mongo", UNKNOWN, source=SOURCE)


PARTITIONED = {"column": "a", "granularity": "day"}
CDC = {"cdc": {"slot": "s"}}
LATER: dict[str, Refused] = {
    "source.mongo": of_mongo({"json": "canonical"}),
    "source.mongo.json": of_mongo("canonical"),
    "source.mongo.read_concern": of_mongo("snapshot"),
    "source.mongo.no_cursor_timeout": of_mongo(value=False),
    "source.mongo.page_size": of_mongo(5),
    "source.mongo.resume": of_mongo(value=True),
    "exports[].mode": of_mode("incremental", "incremental", cursor_column="a"),
    "exports[].tables": of_mode("cdc", ["a", "b"], table=ABSENT, **CDC),
    "exports[].cdc": of_mode("cdc", {"slot": "s"}),
    "exports[].cdc.initial": of_mode("cdc", "snapshot", **CDC),
    "exports[].cdc.checkpoint": of_mode("cdc", "c.json", **CDC),
    "exports[].cdc.until_current": of_mode("cdc", value=True, **CDC),
    "exports[].cdc.max_events": of_mode("cdc", 5, **CDC),
    "exports[].cdc.rollover": of_mode("cdc", 5, **CDC),
    "exports[].cdc.rollover_memory_mb": of_mode("cdc", 5, **CDC),
    "exports[].cdc.server_id": of_mode("cdc", 5, **CDC),
    "exports[].cdc.slot": of_mode("cdc", "t", **CDC),
    "exports[].cdc.capture_instance": of_mode("cdc", "i", **CDC),
    "exports[].cdc.backfill": Refused(
        "auto",
        "exports[0].mode",
        MISSING,
        keys={
            "exports": [
                {**EXPORT, "name": "c", "mode": "cdc", **CDC, "destination": {"type": "local", "path": "changes"}},
                EXPORT,
            ]
        },
    ),
    "exports[].cursor_column": of_mode("incremental", "a"),
    "exports[].cursor_fallback_column": of_mode(
        "incremental", "b", cursor_column="a", incremental_cursor_mode="coalesce"
    ),
    "exports[].incremental_cursor_mode": of_mode(
        "incremental", "coalesce", cursor_column="a", cursor_fallback_column="b"
    ),
    "exports[].settle": of_mode("incremental", {"after": "5m"}, cursor_column="a"),
    "exports[].settle.column": of_mode("incremental", "b", cursor_column="a", settle={"after": "5m"}),
    "exports[].settle.after": of_mode("incremental", "5m", cursor_column="a"),
    "exports[].chunk_column": of_mode("chunked", "a"),
    "exports[].chunk_dense": of_mode("chunked", value=False, chunk_column="a"),
    "exports[].chunk_size": of_mode("chunked", 5, chunk_column="a"),
    "exports[].chunk_size_memory_mb": of_mode("chunked", 5, chunk_column="a"),
    "exports[].chunk_count": of_mode("chunked", 5, chunk_column="a"),
    "exports[].chunk_by_days": of_mode("chunked", 5, chunk_column="a"),
    "exports[].chunk_by_key": of_mode("chunked", "a"),
    "exports[].chunk_checkpoint": of_mode("chunked", value=True, chunk_column="a"),
    "exports[].keyset_incremental": of_mode("chunked", value=True, chunk_by_key="a"),
    "exports[].chunk_max_attempts": of_mode("chunked", 5, chunk_column="a"),
    "exports[].time_column": of_mode("time_window", "a", days_window=5),
    "exports[].time_column_type": of_mode("time_window", "unix", time_column="a", days_window=5),
    "exports[].days_window": of_mode("time_window", 5, time_column="a"),
    "exports[].partition_by": Refused(
        "a", "exports[0].partition_by", UNSUPPORTED, export={"destination": {"type": "local", "path": "{partition}"}}
    ),
    "exports[].partition_granularity": Refused("month", "exports[0].partition_granularity", UNSUPPORTED),
    "exports[].destination.bucket": of_store("s3", "c"),
    "exports[].destination.prefix": of_store("s3", "p"),
    "exports[].destination.region": of_store("s3", "r"),
    "exports[].destination.endpoint": of_store("s3", "http://127.0.0.1:9000"),
    "exports[].destination.credentials_file": of_store("gcs", "url.txt"),
    "exports[].destination.access_key_env": of_store("s3", "A", secret_key_env="B"),
    "exports[].destination.secret_key_env": of_store("s3", "B", access_key_env="A"),
    "exports[].destination.session_token_env": of_store("s3", "C", access_key_env="A", secret_key_env="B"),
    "exports[].destination.aws_profile": of_store("s3", "p"),
    "exports[].destination.account_name": of_store("azure", "a", account_key_env="K"),
    "exports[].destination.account_key_env": of_store("azure", "K", account_name="a"),
    "exports[].destination.sas_token_env": of_store("azure", "T", account_name="a"),
    "exports[].destination.allow_anonymous": of_store("gcs", value=True),
    "exports[].destination.oneshot_budget_mb": of_store("s3", 5),
    "parallel_export_processes": Refused(value=True, where="parallel_export_processes", code=UNSUPPORTED),
    "load": Refused(LOAD, "load", UNSUPPORTED),
    "load.target": of_load("bigquery"),
    "load.project": of_load("q"),
    "load.dataset": of_load("e"),
    **{f"load.{key}": of_load(value, **SNOWFLAKE) for key, value in SNOWFLAKE.items() if key != "target"},
    "load.url": of_load("https://127.0.0.1:8443", **CLICKHOUSE),
    "load.user": of_load("v", **CLICKHOUSE),
    "load.password_env": of_load("P", **CLICKHOUSE),
    "load.named_collection": of_load("n", **CLICKHOUSE),
    "load.ca_file": of_load("ca.pem", **CLICKHOUSE),
    "load.cleanup_source": of_load(value=True),
    "load.pk": of_load(["a"]),
    "load.layout": of_load("log_view"),
    "load.deleted_flag": of_load(value=True),
    "load.allow_source_drift": of_load(value=True),
    "load.gc_orphans": of_load(value=True),
    "load.cluster_by": of_load(["a"]),
    "load.partition": of_load(PARTITIONED),
    "exports[].load": Refused({"pk": ["a"]}, "exports[0].load", UNSUPPORTED, keys={"load": LOAD}),
    "exports[].load.pk": of_export_load(["a"]),
    "exports[].load.cleanup_source": of_export_load(value=True),
    "exports[].load.gc_orphans": of_export_load(value=True),
    "exports[].load.cluster_by": of_export_load(["a"]),
    "exports[].load.allow_source_drift": of_export_load(value=True),
    "exports[].load.layout": of_export_load("log_view"),
    "exports[].load.deleted_flag": of_export_load(value=True),
    "exports[].load.partition": of_export_load(PARTITIONED),
    "exports[].load.tables": Refused(
        {"a": {"pk": ["b"]}},
        "exports[0].load",
        UNSUPPORTED,
        export={"mode": "cdc", "table": ABSENT, "tables": ["a", "b"], **CDC},
        keys={"load": LOAD},
    ),
}
for _load, _block in (("load", of_load), ("exports[].load", of_export_load)):
    LATER |= {
        f"{_load}.partition.{_key}": Refused(
            _value,
            _load.replace("[]", "[0]"),
            UNSUPPORTED,
            export={"load": {"partition": _beside}} if _load != "load" else {},
            keys={"load": {**LOAD, "partition": _beside} if _load == "load" else LOAD},
        )
        for _key, _value, _beside in (
            ("column", "b", PARTITIONED),
            ("granularity", "month", PARTITIONED),
            ("range", RANGE, {}),
            ("ingestion", "day", {}),
            ("expiration_days", 5, PARTITIONED),
            ("require_filter", True, PARTITIONED),
        )
    }
    LATER |= {
        f"{_load}.partition.range.{_key}": attrs.evolve(LATER[f"{_load}.partition.range"], value=_value, beside=RANGE)
        for _key, _value in RANGE.items()
    }


def with_key(
    path: str,
    value: Any,
    *,
    beside: dict[str, Any] | None = None,
    export: dict[str, Any] | None = None,
    source: dict[str, Any] | None = None,
    keys: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A file with a value at a path, and other keys of its block."""
    tree = copy.deepcopy(file(source=source, export=export, **(keys or {})))
    *above, last = path.replace("[]", "").split(".")
    block: Any = tree
    for step in above:
        block = block.setdefault(step, {})
        block = block[0] if isinstance(block, list) else block
    if last in {"url", "url_env", "url_file", "host", "port", "user", "password", "password_env", "database"}:
        block.clear() if above == ["source"] else None
    for key, said in ((beside or {}) | ({} if value is ABSENT else {last: value})).items():
        block[key] = said
    for key in [key for key, said in block.items() if said is ABSENT]:
        del block[key]
    return tree
