"""Manifest version 1 as values: what a loader reads instead of a listing. Nothing here reads, writes or hashes.

Fields that the Rust tool knows stand under its names; ours, which it ignores, follow after them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import attrs

from rivet_core.types import Position

MANIFEST_VERSION: Final = 1


class Mode(StrEnum):
    """The shape of the dataset; one prefix never holds both."""

    BATCH = "batch"
    CDC = "cdc"


class Status(StrEnum):
    """How the run ended; only ``success`` may be loaded."""

    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class PartStatus(StrEnum):
    """Whether a part belongs to the dataset."""

    COMMITTED = "committed"
    QUARANTINED = "quarantined"
    SUPERSEDED = "superseded"


@attrs.frozen(kw_only=True)
class Part:
    """One data file.

    :param part_id: from 1, unique in the manifest.
    :param path: relative to the manifest's own folder.
    :param content_fingerprint: ``xxh3:`` and 16 hex digits of the file's bytes.
    :param content_md5: base64, or None where the writer gave none.
    """

    part_id: int
    path: str
    rows: int
    size_bytes: int
    content_fingerprint: str
    content_md5: str | None = None
    status: PartStatus = PartStatus.COMMITTED


@attrs.frozen(kw_only=True)
class Extraction:
    """How the source was read.

    :param strategy: ``full``, ``incremental``, ``chunked``, ``keyset``, ``timewindow``, ``cdc``, or a stranger's word.
    :param cursor_low: as text; for people and for the Rust tool, since :attr:`Manifest.position` is exact.
    :param cursor_high: as ``cursor_low``.
    """

    strategy: str
    cursor_column: str | None = None
    cursor_type: str | None = None
    cursor_low: str | None = None
    cursor_high: str | None = None
    source_row_count: int | None = None


@attrs.frozen(kw_only=True)
class ManifestSource:
    """What was read; ``table`` is None for a query."""

    engine: str
    schema: str | None = None
    table: str | None = None
    extraction: Extraction | None = None


@attrs.frozen(kw_only=True)
class RowHash:
    """The contract of the row hash column.

    :param covered: the hashed columns in order; None means every source column.
    """

    column: str
    covered: tuple[str, ...] | None
    render: str


@attrs.frozen(kw_only=True)
class SplitWindow:
    """The key range of one unit of an export that the Rust tool split; None leaves an end open."""

    key_column: str
    lo: str | int | None = None
    hi: str | int | None = None


@attrs.frozen(kw_only=True)
class Writer:
    """The program that wrote the manifest."""

    name: str
    version: str


@attrs.frozen(kw_only=True)
class Manifest:
    """One run's complete account of one dataset, or of one roll of it.

    :param started_at: RFC 3339 text, as ``finished_at``.
    :param destination_uri: the prefix's address, without a slash at the end.
    :param row_count: rows of the committed parts.
    :param part_count: number of the committed parts.
    :param column_checksums: sorted by name; empty when there is nothing to check, as in an empty dataset.
    :param checksum_render: how they were folded; None is a fold of old that is not recomputed.
    :param checksum_key_column: the column that every digest is keyed by.
    :param nulled: per column the cells that were replaced by NULL; ours.
    :param position: the exact place up to which the run read; ours.
    :param roll: the roll's number from 0; None when the run has one manifest; ours.
    :param arrow_schema: base64 of the files' full Arrow schema as an IPC message; ours.
    """

    run_id: str
    export_name: str
    started_at: str
    finished_at: str
    status: Status
    source: ManifestSource
    destination_kind: str
    destination_uri: str
    format: str
    compression: str
    schema_fingerprint: str
    row_count: int
    part_count: int
    parts: tuple[Part, ...]
    export_family: str | None = None
    mode: Mode = Mode.BATCH
    column_checksums: tuple[tuple[str, int], ...] = ()
    checksum_render: str | None = None
    checksum_key_column: str | None = None
    row_hash: RowHash | None = None
    split_window: SplitWindow | None = None
    nulled: tuple[tuple[str, int], ...] = ()
    position: Position | None = None
    roll: int | None = None
    arrow_schema: str | None = None
    writer: Writer | None = None

    @property
    def committed(self) -> tuple[Part, ...]:
        """The parts that make up the dataset."""
        return tuple(part for part in self.parts if part.status is PartStatus.COMMITTED)
