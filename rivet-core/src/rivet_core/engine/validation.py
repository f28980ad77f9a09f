"""Verify what lies at a prefix against its manifests; it asks the destination only, and changes nothing.

The rules are in :mod:`rivet_core.manifest.verification`; here they are fed.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import attrs

from rivet_core.engine.validation_control import Control, Found, ReadFailed
from rivet_core.engine.validation_parts import PartReader, ReaderOf, reread
from rivet_core.manifest.marker import digest, parse_marker
from rivet_core.manifest.model import Manifest, Status
from rivet_core.manifest.names import MANIFEST, SUCCESS, is_control, is_roll_of, is_run_manifest, run_manifest
from rivet_core.manifest.report import Depth, Failure, FailureKind, Verification
from rivet_core.manifest.verification import (
    check_consistency,
    check_export,
    check_marker,
    check_parts,
    check_status,
    tracked_paths,
    untracked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rivet_core.protocols import Destination
    from rivet_core.types import ObjectInfo


def validate(
    destination: Destination,
    *,
    depth: Depth,
    reader_of: ReaderOf,
    prefix: str = "",
    run_id: str | None = None,
    content: bool = False,
    folder: Path | None = None,
    export: str | None = None,
) -> Verification:
    """Verify one dataset: the canonical manifest's, or that of one run.

    Parts are downloaded one at a time. What cannot be read is a failure of the report; nothing is raised for it.

    :param reader_of: returns the readable format for a manifest's word, or None.
    :param prefix: the dataset's prefix below the destination's own, empty or ending in ``/``.
    :param run_id: verify this run's own manifest, and its rolls; the marker is not judged then.
    :param content: parts that the store's MD5 cannot confirm are failures (``verify: content``).
    :param folder: where the one part at a time lies; the system's temporary folder when None.
    :param export: whose dataset it has to be; anybody's when None.
    """
    control = Control(destination=destination, prefix=prefix)
    report = Verification(depth=depth)
    try:
        report, found = _begin(report, control, run_id, export)
        if depth is Depth.LIGHT or found is None:
            return report
        listed = control.listing()
        subjects = (found, *_siblings(control, found, listed))
        return _examine(report, control, subjects, listed, reader_of, content=content, folder=folder)
    except ReadFailed as error:
        return attrs.evolve(report, failures=(*report.failures, error.failure))


def find_datasets(destination: Destination) -> tuple[str, ...]:
    """Return the prefixes below a destination that hold a manifest, the destination's own as the empty text."""
    prefixes = {
        key.removesuffix(name)
        for key in Control(destination=destination, prefix="").listing()
        if (name := key.rpartition("/")[2]) == MANIFEST or is_run_manifest(name)
    }
    return tuple(sorted(prefix for prefix in prefixes if not is_control(prefix)))


def _begin(
    report: Verification, control: Control, run_id: str | None, export: str | None
) -> tuple[Verification, Found | None]:
    """Return the report on the control objects alone, and the manifest to go on with."""
    name = MANIFEST if run_id is None else run_manifest(run_id)
    data = control.get(name, FailureKind.MANIFEST_UNREAD)
    marker = control.get(SUCCESS, FailureKind.MARKER_UNREAD)
    if data is None:
        return (_absent(report, control, marker) if run_id is None else _no_manifest(report, name)), None
    report = attrs.evolve(report, manifest_found=True)
    try:
        found = control.decode(name, data)
    except ReadFailed as error:
        return attrs.evolve(report, failures=(error.failure,)), None
    inconsistent = check_consistency(found.manifest)
    failures = [*inconsistent, *check_status(found.manifest), *check_export(found.manifest, export)]
    report = attrs.evolve(
        report,
        manifest_self_consistent=not inconsistent,
        success_marker_consistent=marker is not None and parse_marker(marker) == digest(data),
    )
    if run_id is None:
        failures += check_marker(data, found.manifest.status, marker, control.run_manifests())
    return attrs.evolve(report, failures=tuple(failures)), found


def _absent(report: Verification, control: Control, marker: bytes | None) -> Verification:
    """Report on a prefix without a canonical manifest."""
    if marker is not None:
        detail = "_SUCCESS is there, and the manifest that it names is gone"
        failure = Failure(kind=FailureKind.MANIFEST_MISSING, detail=detail, facts=(("prefix", control.prefix),))
        return attrs.evolve(report, failures=(failure,))
    failures: tuple[Failure, ...] = ()
    for name, data in control.run_manifests():
        failures = check_status(control.decode(name, data).manifest)
        if not failures:
            detail = f"{name} is sealed, and manifest.json is not there yet: the next run of the export finishes it"
            failures = (Failure(kind=FailureKind.COMMIT_UNFINISHED, detail=detail),)
            break
    if failures:
        return attrs.evolve(report, failures=failures)
    return _no_manifest(attrs.evolve(report, legacy_run=True), MANIFEST)


def _no_manifest(report: Verification, name: str) -> Verification:
    detail = f"there is no {name} at the prefix, so there is nothing to verify by"
    return attrs.evolve(report, failures=(Failure(kind=FailureKind.MANIFEST_REQUIRED, detail=detail),))


def _siblings(control: Control, first: Found, listed: Mapping[str, ObjectInfo]) -> tuple[Found, ...]:
    """Return the manifests that make up one dataset with the first: the other rolls of its run, other split units."""
    manifest = first.manifest
    if manifest.roll is None and manifest.split_window is None:
        return ()
    rolls: list[Found] = []
    units: dict[str, Found] = {}
    for name, data in control.run_manifests(listed):
        if data == first.data:
            continue
        try:
            found = control.decode(name, data)
        except ReadFailed:
            if manifest.roll is not None and is_roll_of(name, manifest.run_id):
                raise
            continue
        other = found.manifest
        if manifest.roll is not None and other.run_id == manifest.run_id:
            rolls.append(found)
        elif _is_other_unit(other, manifest):
            latest = units.get(other.export_name)
            if latest is None or latest.manifest.started_at < other.started_at:
                units[other.export_name] = found
    return (*rolls, *units.values())


def _is_other_unit(other: Manifest, first: Manifest) -> bool:
    return (
        first.split_window is not None
        and other.split_window is not None
        and first.export_family is not None
        and other.export_family == first.export_family
        and other.export_name != first.export_name
        and other.status is Status.SUCCESS
    )


def _examine(
    report: Verification,
    control: Control,
    subjects: tuple[Found, ...],
    listed: Mapping[str, ObjectInfo],
    reader_of: ReaderOf,
    *,
    content: bool,
    folder: Path | None,
) -> Verification:
    """Add what the listing and, at depth ``full``, the parts' content say."""
    failures = list(report.failures)
    confirmed = verified = failed = 0
    with tempfile.TemporaryDirectory(prefix="rivet-validate-", dir=folder) as temporary:
        for subject in subjects:
            manifest = subject.manifest
            if subject is not subjects[0]:
                failures += check_consistency(manifest)
            presence = check_parts(manifest, listed, content=content)
            failures += presence.failures
            sound = len(presence.sound)
            confirmed += presence.confirmed
            if report.depth is Depth.FULL:
                reader = PartReader(control=control, manifest=manifest, reader=reader_of(manifest.format))
                reading = reread(reader, presence.sound, Path(temporary), whole=sound == len(manifest.committed))
                failures += reading.failures
                sound -= reading.failed
            verified += sound
            failed += len(manifest.committed) - sound
    failures += untracked(_unaccounted(control, subjects, listed))
    return attrs.evolve(
        report,
        parts_verified=verified,
        parts_md5_verified=confirmed,
        parts_failed=failed,
        manifest_self_consistent=not any(f.kind is FailureKind.MANIFEST_INCONSISTENT for f in failures),
        failures=tuple(failures),
    )


def _unaccounted(
    control: Control, subjects: tuple[Found, ...], listed: Mapping[str, ObjectInfo]
) -> Iterator[ObjectInfo]:
    """Yield the objects that neither these manifests nor other runs' name; datasets below have their own manifests."""
    folders = {key.rpartition("/")[0] for key in listed if key.rpartition("/")[2] == MANIFEST} - {""}
    rest = {key: info for key, info in listed.items() if not is_control(key) and folders.isdisjoint(_parents(key))}
    for subject in subjects:
        _drop(rest, tracked_paths(subject.manifest))
    if rest:
        for name, data in control.run_manifests(listed):
            # A manifest that nobody can read accounts for nothing.
            with suppress(ReadFailed):
                _drop(rest, tracked_paths(control.decode(name, data).manifest))
    yield from (rest[key] for key in sorted(rest))


def _parents(key: str) -> Iterator[str]:
    return map(str, PurePosixPath(key).parents)


def _drop(rest: dict[str, ObjectInfo], paths: frozenset[str]) -> None:
    for path in paths:
        rest.pop(path, None)
