"""The built-in keys of the file, as the classes that they are read into; ``docs/configuration.md`` explains each."""

from __future__ import annotations

from typing import Any, Final, Literal

import attrs

from rivet_core.config.nodes import Node
from rivet_core.config.showing import masked, shown
from rivet_core.config.suggestions import suggest
from rivet_core.config.unfit import Unfit, at_least
from rivet_core.types import Secret

Policy = Literal["fail", "null", "text"]
#: Words for warehouses, in any case of letters, and the warehouse that each means.
TARGETS: Final = {
    **dict.fromkeys(("bigquery", "bq"), "bigquery"),
    **dict.fromkeys(("duckdb", "duck"), "duckdb"),
    **dict.fromkeys(("snowflake", "sf"), "snowflake"),
    **dict.fromkeys(("clickhouse", "ch"), "clickhouse"),
}


def _distinct(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    del instance
    if isinstance(value, tuple) and len(set(value)) != len(value):
        twice = next(word for word in value if value.count(word) > 1)
        msg = f"{attribute.name} names a column twice"
        raise Unfit(msg, remedy=f"name {shown(twice)} once")


def _warehouse(instance: object, attribute: attrs.Attribute[Any], value: str | None) -> None:
    del instance
    if value is not None and value.lower() not in TARGETS:
        msg = f"{attribute.name} must be one of {', '.join(TARGETS)}, and is {shown(value)}"
        raise Unfit(msg, remedy=suggest(value, TARGETS))


def _ratios(instance: object, attribute: attrs.Attribute[Any], value: Any) -> None:
    del instance
    wrong = [column for column, ratio in value if not 0 <= ratio <= 1]
    if wrong:
        msg = f"{attribute.name} of {', '.join(map(masked, wrong))} must lie between 0 and 1"
        raise Unfit(msg, remedy="write the share of rows that may be NULL, such as 0.05 for five in a hundred")


@attrs.frozen(kw_only=True)
class RootKeys:
    """The file's top level."""

    source: Node
    exports: Node
    notifications: NotificationKeys | None = None
    parallel_exports: bool = False


@attrs.frozen(kw_only=True)
class TuningKeys:
    """``tuning``, of the source and of an export; what is not given comes from the profile."""

    profile: Literal["fast", "balanced", "safe"] | None = None
    batch_size: int | None = attrs.field(default=None, validator=at_least(1))
    batch_size_memory_mb: int | None = attrs.field(default=None, validator=at_least(1))
    throttle_ms: int | None = attrs.field(default=None, validator=at_least(0))
    statement_timeout_s: int | None = attrs.field(default=None, validator=at_least(0))
    lock_timeout_s: int | None = attrs.field(default=None, validator=at_least(0))
    max_retries: int | None = attrs.field(default=None, validator=at_least(0))
    retry_backoff_ms: int | None = attrs.field(default=None, validator=at_least(0))
    memory_threshold_mb: int | None = attrs.field(default=None, validator=at_least(0))
    max_batch_memory_mb: int | None = attrs.field(default=None, validator=at_least(1))
    on_batch_memory_exceeded: Literal["warn", "fail", "auto_shrink"] | None = None
    max_value_mb: int | None = attrs.field(default=None, validator=at_least(0))
    adaptive: bool | None = None
    min_parallel: int | None = attrs.field(default=None, validator=at_least(1))

    def __attrs_post_init__(self) -> None:
        if self.batch_size is not None and self.batch_size_memory_mb is not None:
            msg = "batch_size_memory_mb and batch_size exclude each other: one bounds memory, the other rows"
            raise Unfit(msg, remedy="remove one of the two")


@attrs.frozen(kw_only=True)
class SourceKeys:
    """The keys of ``source`` that every kind of source has."""

    environment: Literal["local", "replica", "production"] | None = None
    tuning: TuningKeys = TuningKeys()


@attrs.frozen(kw_only=True)
class MetaColumnKeys:
    """``meta_columns`` of an export."""

    exported_at: bool = False
    row_hash: bool | tuple[str, ...] = attrs.field(default=False, validator=_distinct)

    def __attrs_post_init__(self) -> None:
        if self.row_hash == ():
            msg = "row_hash lists no column"
            raise Unfit(msg, remedy="write row_hash: true for all columns, or false for no hash")


@attrs.frozen(kw_only=True)
class QualityKeys:
    """``quality`` of an export."""

    row_count_min: int | None = attrs.field(default=None, validator=at_least(0))
    row_count_max: int | None = attrs.field(default=None, validator=at_least(0))
    null_ratio_max: tuple[tuple[str, float], ...] = attrs.field(default=(), validator=_ratios)
    unique_columns: tuple[str, ...] = attrs.field(default=(), validator=_distinct)
    unique_max_entries: int | None = attrs.field(default=None, validator=at_least(1))

    def __attrs_post_init__(self) -> None:
        low, high = self.row_count_min, self.row_count_max
        if low is not None and high is not None and low > high:
            msg = f"row_count_min is {low}, and row_count_max is {high}: no number of rows is both"
            raise Unfit(msg, remedy=f"write row_count_min: {high} or less, or row_count_max: {low} or more")
        if self.unique_max_entries is not None and not self.unique_columns:
            msg = "unique_max_entries has no effect without unique_columns"
            raise Unfit(msg, remedy="remove it, or list the columns under unique_columns")


@attrs.frozen(kw_only=True)
class SlackKeys:
    """``notifications.slack``."""

    webhook_url: Secret | None = None
    webhook_url_env: str | None = None
    on: tuple[Literal["failure", "schema_change", "degraded"], ...] = ("failure",)

    def __attrs_post_init__(self) -> None:
        if (self.webhook_url is None) == (self.webhook_url_env is None):
            msg = "webhook_url or webhook_url_env must be given, and only one of them"
            raise Unfit(msg, remedy="write webhook_url_env with the name of the variable that holds the address")


@attrs.frozen(kw_only=True)
class NotificationKeys:
    """``notifications``."""

    slack: SlackKeys | None = None


@attrs.frozen(kw_only=True)
class ExportKeys:
    """The keys of an export that do not depend on its mode or format."""

    name: str
    format: Node
    destination: Node
    query: str | None = None
    query_file: str | None = None
    table: str | None = None
    mode: Node | None = None
    columns: tuple[tuple[str, str], ...] = ()
    on_invalid_value: Policy | tuple[tuple[str, Policy], ...] = "fail"
    parallel: int = attrs.field(default=1, validator=at_least(1))
    max_file_size: str | None = None
    skip_empty: bool = False
    verify: Literal["size", "content"] = "size"
    meta_columns: MetaColumnKeys = MetaColumnKeys()
    quality: QualityKeys = QualityKeys()
    on_schema_drift: Literal["warn", "continue", "fail"] = "warn"
    shape_drift_warn_factor: float = attrs.field(default=2.0, validator=at_least(0), metadata={"may_be_empty": True})
    target: str | None = attrs.field(default=None, validator=_warehouse)
    tuning: TuningKeys = TuningKeys()
    source_group: str | None = None
    reconcile_required: bool = False
    wave: int | None = attrs.field(default=None, validator=at_least(0))
    parallel_safe: bool | None = None
