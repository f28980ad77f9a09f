"""What the configuration file alone says of one export."""

from __future__ import annotations

import attrs

from rivet_core.types import ColumnRules, Relation


@attrs.frozen(kw_only=True)
class Chosen:
    """A plugin that the user chose.

    :param kind: the plugin's kind, such as ``parquet``.
    :param options: an instance of the declaration's ``options`` class.
    """

    kind: str
    options: object


@attrs.frozen(kw_only=True)
class Intent:
    """One export as its user wants it, before anything connects.

    :param name: the export's name.
    :param relation: None only for runners that name their own relations.
    :param relation_template: the relation's text before placeholders were put in; empty when there are none.
    :param mode: the runner's mode and its options.
    :param prefix: the destination's prefix template, placeholders unresolved.
    :param workers: units read at one time.
    :param part_bytes: input bytes after which a part closes at its next restart point.
    :param row_group_bytes: Arrow bytes of a row group.
    :param skip_empty: leave the prefix untouched when there are no rows.
    :param exported_at: add ``_rivet_exported_at``.
    :param row_hash: None for no row hash; empty for all columns; else the covered columns in order.
    :param on_schema_drift: ``warn``, ``continue`` or ``fail``.
    :param row_count_min: gate: fewer rows fail the run.
    :param row_count_max: gate: more rows fail the run.
    :param strict: refuse columns that do not arrive as exact or compatible values.
    """

    name: str
    source: Chosen
    relation: Relation | None
    relation_template: str = ""
    mode: Chosen
    format: Chosen
    destination: Chosen
    prefix: str = ""
    workers: int = 1
    rules: ColumnRules = ColumnRules()
    part_bytes: int = 512 * 1024 * 1024
    row_group_bytes: int = 48 * 1024 * 1024
    skip_empty: bool = False
    exported_at: bool = False
    row_hash: tuple[str, ...] | None = None
    on_schema_drift: str = "warn"
    row_count_min: int | None = None
    row_count_max: int | None = None
    strict: bool = False
    max_attempts: int = 4
    retry_backoff_ms: int = 2000
