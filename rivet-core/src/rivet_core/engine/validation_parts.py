"""Reads parts again, one at a time: their bytes' digests, their rows, their columns' checksums."""

from __future__ import annotations

import csv
from collections.abc import Callable
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from rivet_core.engine.validation_control import Control, failure_of
from rivet_core.manifest.build import decode_schema
from rivet_core.manifest.checksums import column_checksums, merge
from rivet_core.manifest.fingerprint import content_fingerprint
from rivet_core.manifest.model import Manifest, Part
from rivet_core.manifest.report import Failure, FailureKind
from rivet_core.manifest.verification import check_columns, part_facts
from rivet_core.protocols import ReadableFormat

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

ReaderOf = Callable[[str], ReadableFormat | None]


@attrs.frozen(kw_only=True)
class PartReader:
    """What one manifest's parts are read by; without a reader only their bytes are checked."""

    control: Control
    manifest: Manifest
    reader: ReadableFormat | None


@attrs.frozen(kw_only=True)
class Reading:
    """What reading parts again found; ``failed`` parts are not what the manifest says."""

    failed: int
    failures: tuple[Failure, ...]


def reread(reader: PartReader, parts: Iterable[Part], folder: Path, *, whole: bool) -> Reading:
    """Read parts again.

    :param folder: holds one part at a time.
    :param whole: these are all of the manifest's parts, so that its column checksums can be compared.
    """
    failures: list[Failure] = []
    derived: dict[str, int] = {}
    failed = 0
    for part in parts:
        path = folder / f"part{''.join(PurePosixPath(part.path).suffixes[-2:])}"
        try:
            sums = _reread_part(reader, part, path)
            derived = merge(derived, sums)
        except _Wrong as wrong:
            failures.append(wrong.failure)
            failed += 1
        finally:
            path.unlink(missing_ok=True)
    if reader.reader is None and reader.manifest.committed:
        failures.append(_without_reader(reader.manifest))
    elif whole and not failed:
        failures += check_columns(reader.manifest, derived)
    return Reading(failed=failed, failures=tuple(failures))


class _Wrong(Exception):
    """A finding on its way to the report."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


def _reread_part(reader: PartReader, part: Part, path: Path) -> dict[str, int]:
    """Return the checksums of a part's columns."""
    try:
        reader.control.destination.download(f"{reader.control.prefix}{part.path}", path)
    except Exception as error:
        failure = failure_of(FailureKind.PART_UNREAD, f"{part.path} cannot be read", error)
        raise _Wrong(attrs.evolve(failure, facts=part_facts(part))) from error
    _check_bytes(part, path)
    if reader.reader is None:
        return {}
    rows, sums = 0, dict[str, int]()
    try:
        with closing(_batches(reader.reader, reader.manifest, path)) as batches:
            for batch in batches:
                rows += batch.num_rows
                if reader.manifest.column_checksums:
                    sums = merge(sums, column_checksums(batch, reader.manifest.checksum_key_column))
    except Exception as error:
        failure = failure_of(FailureKind.PART_ROWS, f"{part.path} is no readable {reader.manifest.format} file", error)
        raise _Wrong(attrs.evolve(failure, facts=part_facts(part))) from error
    if rows != part.rows:
        detail = f"{part.path} holds {rows} rows instead of {part.rows}"
        facts = (*part_facts(part), ("expected", part.rows), ("actual", rows))
        raise _Wrong(Failure(kind=FailureKind.PART_ROWS, detail=detail, facts=facts))
    return sums


def _check_bytes(part: Part, path: Path) -> None:
    found = content_fingerprint(path)
    for expected, actual in ((part.content_fingerprint, found.xxh3), (part.content_md5, found.md5)):
        if expected and expected != actual:
            detail = f"the bytes of {part.path} have the digest {actual} instead of {expected}"
            facts = (*part_facts(part), ("expected", expected), ("actual", actual))
            raise _Wrong(Failure(kind=FailureKind.PART_CHECKSUM, detail=detail, facts=facts))


def _batches(reader: ReadableFormat, manifest: Manifest, path: Path) -> Generator[pa.RecordBatch]:
    yield from reader.reader(path, _schema(manifest, path))


def _schema(manifest: Manifest, path: Path) -> pa.Schema:
    """Return the schema that a part is read with: the manifest's, or what the file itself says."""
    if manifest.arrow_schema is not None:
        return decode_schema(manifest.arrow_schema)
    if manifest.format == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            return pa.schema([(name, pa.string()) for name in next(csv.reader(file), ())])
    return pq.read_schema(path)


def _without_reader(manifest: Manifest) -> Failure:
    detail = f"nothing installed reads the format {manifest.format}: bytes were compared, rows were not counted"
    return Failure(kind=FailureKind.NO_READER, detail=detail, facts=(("format", manifest.format),))
