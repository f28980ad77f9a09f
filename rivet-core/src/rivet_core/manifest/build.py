"""From what a run recorded to its manifest: pure, so that the same records give the same bytes after any crash."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

from rivet_core.errors import InternalError
from rivet_core.manifest.checksums import META_COLUMNS, RENDER, checksummed_columns
from rivet_core.manifest.fingerprint import schema_fingerprint
from rivet_core.manifest.model import (
    Extraction,
    Manifest,
    ManifestSource,
    Mode,
    Part,
    RowHash,
    Status,
    Writer,
)
from rivet_core.manifest.names import is_contained
from rivet_core.manifest.row_hash import COLUMN as ROW_HASH
from rivet_core.manifest.row_hash import RENDER as ROW_HASH_RENDER
from rivet_core.types import Position, Query, Relation, Table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rivet_core.manifest.counters import PartCounters

#: Runner kinds that the Rust tool knows under another word.
_STRATEGIES: Final = {"time_window": "timewindow"}


class Dataset(Protocol):
    """What a manifest says of the dataset; a plan's dataset is one."""

    @property
    def prefix(self) -> str:
        """Key prefix below the destination's own, empty or ending in ``/``."""

    @property
    def relation(self) -> Relation:
        """What was read."""

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the files, meta columns included."""

    @property
    def checksum_key(self) -> str | None:
        """The column that column checksums are keyed by."""

    @property
    def row_hash(self) -> tuple[str, ...] | None:
        """The covered columns, or None for no row hash."""


class RecordedPart(Protocol):
    """What a manifest says of a part; a row of the ledger is one."""

    @property
    def key(self) -> str:
        """The object's whole key, which begins with the dataset's prefix."""

    @property
    def rows(self) -> int:
        """Its rows."""

    @property
    def size(self) -> int:
        """Its bytes."""

    @property
    def fingerprint(self) -> str:
        """``xxh3:`` and 16 hex digits of the file's bytes."""

    @property
    def md5(self) -> str:
        """Base64 MD5 of the file's bytes."""


def build_manifest(
    dataset: Dataset,
    parts: Iterable[RecordedPart],
    counters: PartCounters,
    *,
    run_id: str,
    export_name: str,
    status: Status,
    mode: Mode,
    engine: str,
    extraction: Extraction,
    destination_kind: str,
    destination_uri: str,
    format: str,  # noqa: A002 - the manifest's own word
    compression: str,
    started_at: datetime,
    finished_at: datetime,
    position: Position | None = None,
    roll: int | None = None,
    writer: Writer,
) -> Manifest:
    """Return the manifest of one dataset of a run, or of one roll of it.

    :param parts: in the order in which they were recorded; all of them are committed.
    :param counters: the parts' counters, merged.
    :param destination_uri: the destination's own address; the dataset's prefix is added.
    :param started_at: aware, as ``finished_at``; both frozen when the run was sealed.
    :param position: the run's last mark; None where the run has none.
    :param roll: the roll's number where the runner rolls.
    :raises InternalError: ``RIVET_INTERNAL_LEDGER`` when the records contradict each other.
    """
    declared = tuple(_part(number, part, dataset.prefix) for number, part in enumerate(parts, start=1))
    rows = sum(part.rows for part in declared)
    if rows != counters.rows:
        msg = f"run {run_id}: its parts hold {rows} rows and its counters {counters.rows}"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    # In an empty dataset there is nothing to add up, and the Rust tool calls a sum over nothing a mismatch.
    checksums = tuple(sorted(counters.checksums)) if rows else ()
    return Manifest(
        run_id=run_id,
        export_name=export_name,
        export_family=export_name,
        mode=mode,
        started_at=_clock(started_at),
        finished_at=_clock(finished_at),
        status=status,
        source=_source(dataset.relation, engine, extraction),
        destination_kind=destination_kind,
        destination_uri=f"{destination_uri}{dataset.prefix}".rstrip("/"),
        format=format,
        compression=compression,
        schema_fingerprint=schema_fingerprint(dataset.schema),
        row_count=rows,
        part_count=len(declared),
        parts=declared,
        column_checksums=checksums,
        checksum_render=RENDER if checksums else None,
        checksum_key_column=_checksum_key(dataset) if checksums else None,
        row_hash=_row_hash(dataset),
        nulled=tuple(sorted((name, cells) for name, cells in counters.nulled if cells)),
        position=position,
        roll=roll,
        arrow_schema=encode_schema(dataset.schema),
        writer=writer,
    )


def extraction_of(
    runner: str,
    *,
    cursor_column: str | None = None,
    low: Position | None = None,
    high: Position | None = None,
    source_rows: int | None = None,
) -> Extraction:
    """Return how the source was read.

    :param runner: the runner's kind.
    :param low: the position that the run started from; positions of several keys have no text here.
    :param high: the position that the run reached.
    :param source_rows: what a reconcile counted.
    """
    known = high or low
    return Extraction(
        strategy=_STRATEGIES.get(runner, runner),
        cursor_column=cursor_column,
        cursor_type=None if known is None else known.type,
        cursor_low=_text(low),
        cursor_high=_text(high),
        source_row_count=source_rows,
    )


def encode_schema(schema: pa.Schema) -> str:
    """Return a schema as base64 text, field metadata included."""
    return base64.b64encode(schema.serialize().to_pybytes()).decode("ascii")


def decode_schema(text: str) -> pa.Schema:
    """Return the schema of :func:`encode_schema`.

    :raises ValueError: for anything else.
    """
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text, validate=True)))
    except (ValueError, OSError, EOFError, pa.ArrowException) as error:
        msg = f"this is no Arrow schema: {error}"
        raise ValueError(msg) from error


def _part(number: int, part: RecordedPart, prefix: str) -> Part:
    path = part.key.removeprefix(prefix)
    if not part.key.startswith(prefix) or not is_contained(path):
        msg = f"the part {part.key} does not lie below its dataset's prefix {prefix!r}"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    return Part(
        part_id=number,
        path=path,
        rows=part.rows,
        size_bytes=part.size,
        content_fingerprint=part.fingerprint,
        content_md5=part.md5,
    )


def _source(relation: Relation, engine: str, extraction: Extraction) -> ManifestSource:
    match relation:
        case Table(name=name, schema=schema):
            return ManifestSource(engine=engine, schema=schema, table=name, extraction=extraction)
        case Query():
            return ManifestSource(engine=engine, extraction=extraction)


def _row_hash(dataset: Dataset) -> RowHash | None:
    if dataset.row_hash is None:
        return None
    every = tuple(name for name in dataset.schema.names if name not in META_COLUMNS)
    covered = None if dataset.row_hash == every else dataset.row_hash
    return RowHash(column=ROW_HASH, covered=covered, render=ROW_HASH_RENDER)


def _checksum_key(dataset: Dataset) -> str | None:
    """Return the key that the digests really have: one without canonical bytes counts as none."""
    key = dataset.checksum_key
    return key if key is not None and key in checksummed_columns(dataset.schema) else None


def _text(position: Position | None) -> str | None:
    return position.value if position is not None and isinstance(position.value, str) else None


def _clock(moment: datetime) -> str:
    if moment.tzinfo is None:
        msg = f"the clock value {moment} has no time zone"
        raise InternalError(msg, code="RIVET_INTERNAL_LEDGER")
    return moment.isoformat(timespec="microseconds")
