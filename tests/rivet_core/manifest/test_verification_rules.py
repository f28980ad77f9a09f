from __future__ import annotations

from typing import Any

import attrs
import pytest

from rivet_core.errors import CODES, Exit
from rivet_core.manifest.marker import digest, encode_marker
from rivet_core.manifest.model import Manifest, PartStatus, Status
from rivet_core.manifest.report import Depth, Failure, FailureKind, Verification, Weight
from rivet_core.manifest.verification import (
    check_columns,
    check_consistency,
    check_marker,
    check_parts,
    check_status,
    tracked_paths,
    untracked,
)
from rivet_core.types import ObjectInfo


def kinds(failures: tuple[Failure, ...]) -> list[FailureKind]:
    return [failure.kind for failure in failures]


def listing(manifest: Manifest) -> dict[str, ObjectInfo]:
    return {part.path: ObjectInfo(key=part.path, size=part.size_bytes) for part in manifest.parts}


def test_a_sound_manifest_does_not_contradict_itself(manifest: Manifest) -> None:
    assert check_consistency(manifest) == ()


@pytest.mark.parametrize(
    "changes",
    [{"row_count": 6}, {"part_count": 3}, {"column_checksums": (("a", 1), ("a", 2))}, {"arrow_schema": "AAAA"}],
)
def test_a_contradiction_is_one_failure(manifest: Manifest, changes: dict[str, Any]) -> None:
    assert kinds(check_consistency(attrs.evolve(manifest, **changes))) == [FailureKind.MANIFEST_INCONSISTENT]


@pytest.mark.parametrize("changes", [{"part_id": 1}, {"path": "a.parquet"}])
def test_parts_are_told_apart_by_id_and_path(manifest: Manifest, changes: dict[str, Any]) -> None:
    first, second = manifest.parts
    twice = attrs.evolve(manifest, parts=(first, attrs.evolve(second, **changes)))
    assert kinds(check_consistency(twice)) == [FailureKind.MANIFEST_INCONSISTENT]


@pytest.mark.parametrize("status", [PartStatus.QUARANTINED, PartStatus.SUPERSEDED])
def test_only_committed_parts_count(manifest: Manifest, status: PartStatus) -> None:
    first, second = manifest.parts
    parts = (first, attrs.evolve(second, status=status))
    assert check_consistency(attrs.evolve(manifest, parts=parts, row_count=2, part_count=1)) == ()


@pytest.mark.parametrize("status", [Status.FAILED, Status.RUNNING, Status.INTERRUPTED])
def test_a_run_that_did_not_succeed_is_not_verified(manifest: Manifest, status: Status) -> None:
    (failure,) = check_status(attrs.evolve(manifest, status=status))
    assert failure.kind.weight is Weight.UNVERIFIED
    assert ("status", status.value) in failure.facts


def test_a_marker_that_names_the_manifest_is_right() -> None:
    assert check_marker(b"new", Status.SUCCESS, encode_marker(b"new"), ()) == ()


def test_a_marker_of_an_earlier_run_is_an_unfinished_commit() -> None:
    earlier = [("manifest-1.json", b"old"), ("manifest-2.json", b"new")]
    (failure,) = check_marker(b"new", Status.SUCCESS, encode_marker(b"old"), earlier)
    assert failure.kind is FailureKind.COMMIT_UNFINISHED
    assert "manifest-1.json" in failure.detail


def test_a_changed_manifest_is_not_excused_by_the_runs_own_copy() -> None:
    failures = check_marker(b"changed", Status.SUCCESS, encode_marker(b"old"), [("manifest-1.json", b"old")])
    assert kinds(failures) == [FailureKind.MARKER_STALE]


def test_a_marker_that_names_nothing_is_stale() -> None:
    (failure,) = check_marker(b"new", Status.SUCCESS, encode_marker(b"gone"), [("manifest-2.json", b"new")])
    assert failure.kind is FailureKind.MARKER_STALE
    assert dict(failure.facts) == {"marker_fingerprint": digest(b"gone"), "manifest_fingerprint": digest(b"new")}


def test_a_marker_that_is_no_marker_is_malformed() -> None:
    assert kinds(check_marker(b"new", Status.SUCCESS, b"hello", ())) == [FailureKind.MARKER_MALFORMED]


def test_a_success_without_a_marker_is_an_unfinished_commit() -> None:
    assert kinds(check_marker(b"new", Status.SUCCESS, None, ())) == [FailureKind.COMMIT_UNFINISHED]


def test_a_failed_run_needs_no_marker() -> None:
    assert check_marker(b"new", Status.FAILED, None, ()) == ()


def test_parts_at_their_size_are_sound(manifest: Manifest) -> None:
    presence = check_parts(manifest, listing(manifest))
    assert (presence.sound, presence.confirmed, presence.failures) == (manifest.parts, 0, ())


def test_a_part_that_is_not_listed_is_missing(manifest: Manifest) -> None:
    presence = check_parts(manifest, {})
    assert kinds(presence.failures) == [FailureKind.PART_MISSING] * 2
    assert dict(presence.failures[0].facts) == {"part_id": 1, "path": "a.parquet"}


def test_a_part_of_another_size_is_told_with_both_sizes(manifest: Manifest) -> None:
    listed = listing(manifest) | {"a.parquet": ObjectInfo(key="a.parquet", size=11)}
    (failure,) = check_parts(manifest, listed).failures
    assert failure.to_json() == {
        "kind": "part_size_mismatch",
        "part_id": 1,
        "path": "a.parquet",
        "expected": 10,
        "actual": 11,
        "detail": "a.parquet has 11 bytes instead of 10",
        "code": "RIVET_VERIFY_PART_SIZE_MISMATCH",
    }


@pytest.mark.parametrize(("md5", "confirmed", "expected"), [("AA==", 1, []), ("BB==", 0, [FailureKind.PART_CHECKSUM])])
def test_a_stores_md5_is_compared(manifest: Manifest, md5: str, confirmed: int, expected: list[FailureKind]) -> None:
    listed = listing(manifest) | {"a.parquet": ObjectInfo(key="a.parquet", size=10, md5=md5)}
    presence = check_parts(manifest, listed)
    assert (presence.confirmed, kinds(presence.failures)) == (confirmed, expected)


def test_content_demands_an_md5_of_every_part(manifest: Manifest) -> None:
    listed = listing(manifest) | {"a.parquet": ObjectInfo(key="a.parquet", size=10, md5="AA==")}
    presence = check_parts(manifest, listed, content=True)
    assert kinds(presence.failures) == [FailureKind.CONTENT_UNMET]


def test_untracked_objects_are_warnings() -> None:
    (failure,) = untracked([ObjectInfo(key="x", size=3)])
    assert failure.kind.weight is Weight.WARNING
    assert dict(failure.facts) == {"key": "x", "size_bytes": 3}


def test_superseded_parts_are_accounted_for_and_quarantined_ones_are_not(manifest: Manifest) -> None:
    first, second = manifest.parts
    parts = (attrs.evolve(first, status=PartStatus.SUPERSEDED), attrs.evolve(second, status=PartStatus.QUARANTINED))
    assert tracked_paths(attrs.evolve(manifest, parts=parts)) == {"a.parquet"}


def test_equal_checksums_agree(manifest: Manifest) -> None:
    assert check_columns(manifest, dict(manifest.column_checksums) | {"more": 1}) == ()


def test_every_column_that_differs_is_named(manifest: Manifest) -> None:
    failures = check_columns(manifest, {"id": 1})
    assert kinds(failures) == [FailureKind.VALUE_CHECKSUM] * 2
    assert [dict(failure.facts)["column"] for failure in failures] == ["id", "näme"]


@pytest.mark.parametrize("changes", [{"column_checksums": ()}, {"checksum_render": None}, {"checksum_render": "v3"}])
def test_absent_checksums_are_nothing_to_check(manifest: Manifest, changes: dict[str, Any]) -> None:
    assert check_columns(attrs.evolve(manifest, **changes), {}) == ()


def report(*found: FailureKind) -> Verification:
    return Verification(depth=Depth.FULL, failures=tuple(Failure(kind=kind, detail="") for kind in found))


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ((), Exit.DONE),
        ((FailureKind.UNTRACKED,), Exit.DONE),
        ((FailureKind.UNTRACKED, FailureKind.COMMIT_UNFINISHED), Exit.USAGE),
        ((FailureKind.COMMIT_UNFINISHED, FailureKind.PART_MISSING, FailureKind.UNTRACKED), Exit.INTEGRITY),
    ],
)
def test_the_gravest_failure_decides(found: tuple[FailureKind, ...], status: Exit) -> None:
    verdict = report(*found)
    assert (verdict.exit, verdict.passed) == (status, status is Exit.DONE)


def test_every_verdict_but_a_pass_has_a_registered_code() -> None:
    assert report().code is None
    assert {report(FailureKind.PART_MISSING).code, report(FailureKind.MANIFEST_REQUIRED).code} <= CODES.keys()


def test_words_and_codes_are_unique() -> None:
    assert len({kind.word for kind in FailureKind}) == len({kind.code for kind in FailureKind}) == len(FailureKind)


def test_the_json_form_has_the_rust_tools_fields_in_its_order() -> None:
    assert list(report().to_json()) == [
        "manifest_found",
        "legacy_run",
        "parts_verified",
        "parts_md5_verified",
        "parts_failed",
        "success_marker_consistent",
        "manifest_self_consistent",
        "passed",
        "failures",
        "depth_level",
    ]
