"""The rules by which a dataset agrees with its manifest: pure, from what was read, to failures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs

from rivet_core.manifest.build import decode_schema
from rivet_core.manifest.checksums import RENDER
from rivet_core.manifest.marker import digest, parse_marker
from rivet_core.manifest.model import Manifest, Part, PartStatus, Status
from rivet_core.manifest.report import Failure, FailureKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.types import ObjectInfo


def check_consistency(manifest: Manifest) -> tuple[Failure, ...]:
    """Return how a manifest contradicts itself."""
    found = []
    committed = manifest.committed
    rows = sum(part.rows for part in committed)
    if rows != manifest.row_count:
        found.append(f"row_count says {manifest.row_count}, its committed parts add up to {rows} rows")
    if len(committed) != manifest.part_count:
        found.append(f"part_count says {manifest.part_count}, there are {len(committed)} committed parts")
    found += [
        f"the part_id {number} stands there {times} times" for number, times in _repeated(manifest.parts, "part_id")
    ]
    found += [f"the path {path} stands there {times} times" for path, times in _repeated(committed, "path")]
    names = Counter(name for name, _ in manifest.column_checksums)
    found += [f"the column {name} has {times} checksums" for name, times in names.items() if times > 1]
    if manifest.arrow_schema is not None:
        try:
            decode_schema(manifest.arrow_schema)
        except ValueError as error:
            found.append(f"arrow_schema: {error}")
    return tuple(Failure(kind=FailureKind.MANIFEST_INCONSISTENT, detail=text) for text in found)


def check_status(manifest: Manifest) -> tuple[Failure, ...]:
    """Return a failure unless the manifest's run succeeded."""
    if manifest.status is Status.SUCCESS:
        return ()
    status = manifest.status.value
    detail = f"the run {manifest.run_id} has the status {status}, so there is no finished dataset to verify"
    return (Failure(kind=FailureKind.RUN_NOT_SUCCESSFUL, detail=detail, facts=(("status", status),)),)


def check_export(manifest: Manifest, export: str | None) -> tuple[Failure, ...]:
    """Return a failure when a manifest is another export's: whoever loads the prefix would get the other's rows.

    :param export: the configured name, which may be that of a family of split units; None when any will do.
    """
    if export is None or export in {manifest.export_name, manifest.export_family}:
        return ()
    detail = (
        f"the manifest is that of the export {manifest.export_name!r} (run {manifest.run_id}), and not of {export!r}:"
        " something else writes to this prefix, or the export was renamed and did not run since"
    )
    facts = (("expected", export), ("actual", manifest.export_name))
    return (Failure(kind=FailureKind.EXPORT, detail=detail, facts=facts),)


def check_marker(
    manifest: bytes, status: Status, marker: bytes | None, earlier: Iterable[tuple[str, bytes]]
) -> tuple[Failure, ...]:
    """Return how the marker disagrees with the canonical manifest.

    The two cannot be replaced in one step. Where each names the bytes of a run's own manifest, but not of the same
    run, the commit broke off between them: nothing is corrupt, and the next run finishes the pair. A canonical manifest
    that is nobody's was changed.

    :param manifest: the exact bytes of the canonical manifest.
    :param marker: the marker's content, or None when it is absent.
    :param earlier: names and exact bytes of the runs' own manifests; consumed only when the marker names other bytes.
    """
    if marker is None:
        # A failed run of the Rust tool takes the marker away, and that is its right.
        if status is not Status.SUCCESS:
            return ()
        return (_unfinished("manifest.json is there and _SUCCESS is not yet"),)
    named = parse_marker(marker)
    if named is None:
        preview = marker[:40].decode("ascii", errors="replace")
        detail = f"_SUCCESS holds {preview!r}, which is no digest of a manifest"
        return (Failure(kind=FailureKind.MARKER_MALFORMED, detail=detail, facts=(("body_preview", preview),)),)
    actual = digest(manifest)
    if named == actual:
        return ()
    names = {digest(data): name for name, data in earlier}
    if named in names and actual in names:
        return (_unfinished(f"manifest.json is {names[actual]} already, and _SUCCESS still names {names[named]}"),)
    detail = f"_SUCCESS names {named}, and the bytes of manifest.json are {actual}"
    facts = (("marker_fingerprint", named), ("manifest_fingerprint", actual))
    return (Failure(kind=FailureKind.MARKER_STALE, detail=detail, facts=facts),)


def _unfinished(what: str) -> Failure:
    detail = f"{what}: a commit broke off before its last step; the next run of the export finishes it"
    return Failure(kind=FailureKind.COMMIT_UNFINISHED, detail=detail)


@attrs.frozen(kw_only=True)
class Presence:
    """What a listing says of a manifest's parts.

    :param sound: the parts that are there at their size, and with their MD5 where the store knows one.
    :param confirmed: how many of them the store's MD5 confirmed.
    """

    sound: tuple[Part, ...]
    confirmed: int
    failures: tuple[Failure, ...]


def check_parts(manifest: Manifest, listed: Mapping[str, ObjectInfo], *, content: bool = False) -> Presence:
    """Compare the committed parts with a listing.

    :param listed: objects by their path from the manifest's folder.
    :param content: a part that the store's MD5 cannot confirm is a failure.
    """
    sound: list[Part] = []
    failures: list[Failure] = []
    confirmed = 0
    for part in manifest.committed:
        info = listed.get(part.path)
        failure = _check_part(part, info)
        if failure is not None:
            failures.append(failure)
            continue
        sound.append(part)
        if info is not None and info.md5 is not None and part.content_md5 is not None:
            confirmed += 1
        elif content:
            detail = f"the store has no MD5 of {part.path}, and verify: content demands one"
            failures.append(Failure(kind=FailureKind.CONTENT_UNMET, detail=detail, facts=part_facts(part)))
    return Presence(sound=tuple(sound), confirmed=confirmed, failures=tuple(failures))


def _check_part(part: Part, info: ObjectInfo | None) -> Failure | None:
    if info is None:
        return Failure(kind=FailureKind.PART_MISSING, detail=f"{part.path} is not there", facts=part_facts(part))
    if info.size != part.size_bytes:
        detail = f"{part.path} has {info.size} bytes instead of {part.size_bytes}"
        facts = (*part_facts(part), ("expected", part.size_bytes), ("actual", info.size))
        return Failure(kind=FailureKind.PART_SIZE, detail=detail, facts=facts)
    if info.md5 is not None and part.content_md5 is not None and info.md5 != part.content_md5:
        detail = f"the store has the MD5 {info.md5} of {part.path} instead of {part.content_md5}"
        facts = (*part_facts(part), ("expected", part.content_md5), ("actual", info.md5))
        return Failure(kind=FailureKind.PART_CHECKSUM, detail=detail, facts=facts)
    return None


def untracked(objects: Iterable[ObjectInfo]) -> tuple[Failure, ...]:
    """Return a warning for each object that no manifest names."""
    return tuple(
        Failure(
            kind=FailureKind.UNTRACKED,
            detail=f"no manifest names {info.key}; a reader of the whole folder would read it",
            facts=(("key", info.key), ("size_bytes", info.size)),
        )
        for info in objects
    )


def check_columns(manifest: Manifest, derived: Mapping[str, int]) -> tuple[Failure, ...]:
    """Compare the manifest's column checksums with those of its parts' rows.

    Nothing to check when the manifest has none, as after a resumed run of the Rust tool, or has an older fold.
    """
    if manifest.checksum_render != RENDER:
        return ()
    found = []
    for name, expected in manifest.column_checksums:
        actual = derived.get(name)
        if actual is None:
            found.append((name, f"the parts have no such column of a type that can be checked: {name}"))
        elif actual != expected:
            found.append((name, f"column {name}: the manifest says {expected}, its parts give {actual}"))
    return tuple(
        Failure(kind=FailureKind.VALUE_CHECKSUM, detail=text, facts=(("column", name),)) for name, text in found
    )


def part_facts(part: Part) -> tuple[tuple[str, str | int], ...]:
    """Return what names a part in a failure."""
    return (("part_id", part.part_id), ("path", part.path))


def tracked_paths(manifest: Manifest) -> frozenset[str]:
    """Return the paths that a manifest accounts for: superseded parts stay where they are, quarantined ones do not."""
    return frozenset(part.path for part in manifest.parts if part.status is not PartStatus.QUARANTINED)


def _repeated(parts: Iterable[Part], field: str) -> list[tuple[object, int]]:
    counts = Counter(getattr(part, field) for part in parts)
    return [(value, times) for value, times in counts.items() if times > 1]
