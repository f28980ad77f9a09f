"""What the configuration file alone says of one export."""

from __future__ import annotations

import attrs

from rivet_core.requests.tuning import Tuning
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
    :param mode: the mode and the options of the runner that serves it; of the first one where several could.
    :param runners: every runner that takes the given keys, by its kind, with its own options; see :meth:`served_by`.
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
    :param null_ratio_max: gate: column and the largest share of NULLs, 0 to 1.
    :param unique_columns: gate: columns that hold no value twice.
    :param unique_max_entries: distinct values after which the uniqueness of a column is no longer tracked.
    :param verify: ``size``, or ``content`` when the store must confirm every part's MD5.
    :param shape_drift_warn_factor: growth of a column's widest value that is worth a warning; 0 for never.
    :param target: the warehouse that the type report is to give advice for; no effect yet.
    :param tuning: how gently the source is treated.
    :param strict: refuse columns that do not arrive as exact or compatible values.
    """

    name: str
    source: Chosen
    relation: Relation | None
    relation_template: str = ""
    mode: Chosen
    runners: tuple[Chosen, ...] = ()
    format: Chosen
    destination: Chosen
    prefix: str = ""
    workers: int = 1
    rules: ColumnRules = ColumnRules()
    part_bytes: int = 512 * 1024 * 1024
    row_group_bytes: int = 32 * 1024 * 1024
    skip_empty: bool = False
    exported_at: bool = False
    row_hash: tuple[str, ...] | None = None
    on_schema_drift: str = "warn"
    row_count_min: int | None = None
    row_count_max: int | None = None
    null_ratio_max: tuple[tuple[str, float], ...] = ()
    unique_columns: tuple[str, ...] = ()
    unique_max_entries: int | None = None
    verify: str = "size"
    shape_drift_warn_factor: float = 2.0
    target: str | None = None
    tuning: Tuning = Tuning()
    strict: bool = False
    max_attempts: int = 4
    retry_backoff_ms: int = 2000

    def served_by(self, runner: str) -> Intent:
        """Return the intent with the mode's options as one of its runners wants them; itself for other runners."""
        options = [chosen.options for chosen in self.runners if chosen.kind == runner]
        return attrs.evolve(self, mode=Chosen(kind=self.mode.kind, options=options[0])) if options else self
