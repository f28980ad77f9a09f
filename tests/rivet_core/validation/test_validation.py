from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pyarrow as pa
import pytest

from rivet_core.engine.validation import find_datasets, validate
from rivet_core.errors import Exit
from rivet_core.manifest.codec import decode, encode
from rivet_core.manifest.marker import encode_marker
from rivet_core.manifest.model import Mode, PartStatus, SplitWindow, Status
from rivet_core.manifest.report import Depth, FailureKind, Verification
from rivet_core.protocols import ReadableFormat

Check = Callable[..., Verification]
DEPTHS = tuple(Depth)


@pytest.fixture
def check(store: Any, reader_of: Callable[[str], ReadableFormat | None]) -> Check:
    def run(depth: Depth = Depth.FULL, **options: Any) -> Verification:
        return validate(store, depth=depth, reader_of=reader_of, **options)

    return run


def kinds(report: Verification) -> list[FailureKind]:
    return [failure.kind for failure in report.failures]


def rewrite(store: Any, **changes: Any) -> None:
    """Changes the manifest and everything that names its bytes."""
    old = store.objects["manifest.json"]
    new = encode(attrs.evolve(decode(old), **changes))
    for key, data in list(store.objects.items()):
        if data == old:
            store.objects[key] = new
    store.objects["_SUCCESS"] = encode_marker(new)


@pytest.mark.parametrize("depth", DEPTHS)
def test_what_was_written_passes(place: Any, check: Check, depth: Depth) -> None:
    place.write()
    report = check(depth)
    assert (report.passed, report.failures, report.exit) == (True, (), Exit.DONE)
    assert report.manifest_found
    assert report.manifest_self_consistent
    assert report.success_marker_consistent


@pytest.mark.parametrize(("depth", "parts"), [(Depth.LIGHT, 0), (Depth.SAMPLE, 2), (Depth.FULL, 2)])
def test_parts_are_counted_from_sample_on(place: Any, check: Check, depth: Depth, parts: int) -> None:
    place.write()
    assert (check(depth).parts_verified, check(depth).parts_failed) == (parts, 0)


def test_light_reads_two_objects_and_nothing_else(place: Any, check: Check, store: Any) -> None:
    place.write()
    check(Depth.LIGHT)
    assert store.calls == ["get manifest.json", "get _SUCCESS"]


def test_sample_adds_one_listing(place: Any, check: Check, store: Any) -> None:
    place.write()
    check(Depth.SAMPLE)
    assert store.calls == ["get manifest.json", "get _SUCCESS", "list "]


def test_the_stores_md5_is_counted(place: Any, check: Check, store: Any) -> None:
    store.md5 = True
    place.write()
    assert check(Depth.SAMPLE, content=True).parts_md5_verified == 2


def test_content_is_demanded_of_a_store_without_md5(place: Any, check: Check) -> None:
    place.write()
    assert kinds(check(Depth.SAMPLE, content=True)) == [FailureKind.CONTENT_UNMET] * 2


def test_a_dataset_below_is_verified_by_its_prefix(place: Any, check: Check) -> None:
    place.write(prefix="t/")
    report = check(prefix="t/")
    assert (report.passed, report.parts_verified) == (True, 2)


def test_datasets_are_found_wherever_a_manifest_is(place: Any, store: Any) -> None:
    place.write()
    place.write(prefix="a/b/", canonical=False)
    store.objects["_quarantine/x/manifest.json"] = b""
    store.objects["c/other.json"] = b""
    assert find_datasets(store) == ("", "a/b/")


# -- control objects


def test_an_empty_prefix_is_legacy_and_unverified(check: Check) -> None:
    report = check()
    assert (report.exit, report.legacy_run, kinds(report)) == (Exit.USAGE, True, [FailureKind.MANIFEST_REQUIRED])


def test_a_marker_over_no_manifest_is_corrupt(place: Any, check: Check, store: Any) -> None:
    place.write()
    del store.objects["manifest.json"]
    report = check()
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.MANIFEST_MISSING])


def test_a_run_that_is_sealed_but_not_published_is_unfinished(place: Any, check: Check) -> None:
    place.write("r0", status=Status.FAILED, canonical=False)
    place.write("r1", canonical=False)
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [FailureKind.COMMIT_UNFINISHED])


def test_a_prefix_where_only_a_failed_run_ended_says_so(place: Any, check: Check) -> None:
    place.write(status=Status.FAILED, canonical=False)
    assert kinds(check()) == [FailureKind.RUN_NOT_SUCCESSFUL]


def test_a_commit_that_broke_off_between_the_pair_is_unverified_over_intact_data(
    place: Any, check: Check, store: Any
) -> None:
    place.write("r1")
    marker = store.objects["_SUCCESS"]
    place.write("r2")
    store.objects["_SUCCESS"] = marker
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [FailureKind.COMMIT_UNFINISHED])
    assert (report.parts_verified, report.parts_failed, report.success_marker_consistent) == (2, 0, False)


def test_a_commit_that_broke_off_over_damaged_data_is_corrupt(place: Any, check: Check, store: Any) -> None:
    place.write("r1")
    marker = store.objects["_SUCCESS"]
    place.write("r2")
    store.objects["_SUCCESS"] = marker
    del store.objects["r2_0.parquet"]
    assert check().exit is Exit.INTEGRITY


def test_a_changed_manifest_is_corrupt_although_the_runs_own_is_intact(place: Any, check: Check, store: Any) -> None:
    place.write()
    store.objects["manifest.json"] = store.objects["manifest.json"].replace(b'"sqlite"', b'"squish"')
    report = check(Depth.LIGHT)
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.MARKER_STALE])


def test_a_missing_marker_is_an_unfinished_commit(place: Any, check: Check, store: Any) -> None:
    place.write()
    del store.objects["_SUCCESS"]
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [FailureKind.COMMIT_UNFINISHED])


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"not json"])
def test_a_manifest_that_cannot_be_understood_is_corrupt(place: Any, check: Check, store: Any, data: bytes) -> None:
    place.write()
    store.objects["manifest.json"] = data
    report = check()
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.MANIFEST_INCONSISTENT])
    assert not report.manifest_self_consistent


def test_a_manifest_that_is_too_large_is_not_read(place: Any, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write()
    monkeypatch.setattr("rivet_core.engine.validation_control.CONTROL_LIMIT", 10)
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [FailureKind.MANIFEST_UNREAD])


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("manifest.json", FailureKind.MANIFEST_UNREAD),
        ("_SUCCESS", FailureKind.MARKER_UNREAD),
        ("", FailureKind.UNLISTED),
        ("r1_0.parquet", FailureKind.PART_UNREAD),
    ],
)
def test_a_store_that_is_away_leaves_the_dataset_unverified(
    place: Any, check: Check, store: Any, key: str, kind: FailureKind
) -> None:
    place.write()
    store.broken = {key}
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [kind])
    assert "secret" not in report.failures[0].detail


def test_a_manifest_of_a_failed_run_is_not_verified(place: Any, check: Check) -> None:
    place.write(status=Status.FAILED)
    report = check()
    assert (report.exit, kinds(report)) == (Exit.USAGE, [FailureKind.RUN_NOT_SUCCESSFUL])


# -- what is listed


def test_a_missing_part_is_corrupt_from_sample_on(place: Any, check: Check, store: Any) -> None:
    place.write()
    del store.objects["r1_1.parquet"]
    assert check(Depth.LIGHT).passed
    report = check(Depth.SAMPLE)
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.PART_MISSING])
    assert (report.parts_verified, report.parts_failed) == (1, 1)


def test_a_truncated_part_is_corrupt_and_is_not_downloaded(place: Any, check: Check, store: Any) -> None:
    place.write()
    store.objects["r1_0.parquet"] = store.objects["r1_0.parquet"][:-1]
    assert kinds(check()) == [FailureKind.PART_SIZE]
    assert "download r1_0.parquet" not in store.calls


@pytest.mark.parametrize("key", ["x.parquet", "sub/x.parquet", ".hidden"])
def test_an_object_that_no_manifest_names_is_a_warning(place: Any, check: Check, store: Any, key: str) -> None:
    place.write()
    store.objects[key] = b"abc"
    report = check(Depth.SAMPLE)
    assert (report.passed, kinds(report)) == (True, [FailureKind.UNTRACKED])
    assert report.warnings == report.failures


@pytest.mark.parametrize("key", ["_quarantine/r0/x.parquet", ".rivet_doctor_probe", "manifest-x.json"])
def test_control_objects_are_no_warning(place: Any, check: Check, store: Any, key: str) -> None:
    place.write()
    store.objects[key] = b"abc"
    assert check(Depth.SAMPLE).failures == ()


def test_parts_of_earlier_runs_are_accounted_for_by_their_own_manifests(place: Any, check: Check) -> None:
    place.write("r1")
    place.write("r2")
    assert check().failures == ()


def test_a_dataset_below_accounts_for_its_own_objects(place: Any, check: Check) -> None:
    place.write()
    place.write(prefix="snapshot/")
    assert check().failures == ()


def test_superseded_parts_are_neither_read_nor_untracked(place: Any, check: Check, store: Any) -> None:
    place.write()
    first, second = decode(store.objects["manifest.json"]).parts
    parts = (attrs.evolve(first, status=PartStatus.SUPERSEDED), second)
    rewrite(store, parts=parts, part_count=1, row_count=3, column_checksums=())
    report = check()
    assert (report.failures, report.parts_verified) == ((), 1)


# -- what is in the parts


def test_one_flipped_byte_is_found_at_depth_full_only(place: Any, check: Check, store: Any) -> None:
    place.write()
    data = bytearray(store.objects["r1_0.parquet"])
    data[30] ^= 1
    store.objects["r1_0.parquet"] = bytes(data)
    assert check(Depth.SAMPLE).passed
    report = check(Depth.FULL)
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.PART_CHECKSUM])
    assert (report.parts_verified, report.parts_failed) == (1, 1)


def test_rows_are_counted_again(place: Any, check: Check, store: Any) -> None:
    place.write()
    first, second = decode(store.objects["manifest.json"]).parts
    parts = (attrs.evolve(first, rows=3), attrs.evolve(second, rows=2))
    rewrite(store, parts=parts)
    assert kinds(check()) == [FailureKind.PART_ROWS] * 2


def test_a_file_of_another_format_is_corrupt(place: Any, check: Check, store: Any) -> None:
    place.write()
    first, second = decode(store.objects["manifest.json"]).parts
    rewrite(store, parts=(attrs.evolve(first, content_fingerprint="", content_md5=None), second))
    store.objects["r1_0.parquet"] = b"x" * first.size_bytes
    report = check()
    assert (report.exit, kinds(report)) == (Exit.INTEGRITY, [FailureKind.PART_ROWS])


def test_a_wrong_column_checksum_names_its_column(place: Any, check: Check, store: Any) -> None:
    place.write()
    sums = dict(decode(store.objects["manifest.json"]).column_checksums)
    rewrite(store, column_checksums=(("id", sums["id"]), ("name", sums["name"] ^ 1)))
    (failure,) = check().failures
    assert (failure.kind, dict(failure.facts)) == (FailureKind.VALUE_CHECKSUM, {"column": "name"})


def test_values_swapped_between_rows_are_found(place: Any, check: Check, store: Any) -> None:
    written = decode(place.write())
    schema = pa.schema([("id", pa.int64()), ("name", pa.string())])
    swapped = pa.table({"id": [1, 2], "name": [None, "a"]}, schema=schema)
    place.write("r1", [swapped, pa.table({"id": [3, 4, 5], "name": ["c", "d", ""]}, schema=schema)])
    rewrite(store, column_checksums=written.column_checksums)
    report = check()
    assert kinds(report) == [FailureKind.VALUE_CHECKSUM]


@pytest.mark.parametrize(
    "changes", [{"column_checksums": ()}, {"column_checksums": (("id", 1),), "checksum_render": None}]
)
def test_absent_checksums_are_nothing_to_check(place: Any, check: Check, store: Any, changes: dict[str, Any]) -> None:
    place.write()
    rewrite(store, **changes)
    assert check().passed


def test_a_file_that_knows_its_schema_needs_none_in_the_manifest(place: Any, check: Check, store: Any) -> None:
    place.write()
    rewrite(store, arrow_schema=None)
    assert check().failures == ()


def test_a_dataset_without_parts_passes(place: Any, check: Check) -> None:
    place.write(tables=[])
    assert check().failures == ()


def test_a_typed_empty_part_passes(place: Any, check: Check) -> None:
    empty = pa.schema([("id", pa.int64()), ("name", pa.string())]).empty_table()
    place.write(tables=[empty])
    report = check()
    assert (report.failures, report.parts_verified) == ((), 1)


def test_a_format_that_nothing_reads_has_its_bytes_compared_and_says_so(place: Any, check: Check, store: Any) -> None:
    place.write(format="strange")
    report = check()
    assert (report.passed, kinds(report)) == (True, [FailureKind.NO_READER])
    data = bytearray(store.objects["r1_0.parquet"])
    data[30] ^= 1
    store.objects["r1_0.parquet"] = bytes(data)
    assert FailureKind.PART_CHECKSUM in kinds(check())


def test_one_part_at_a_time_lies_on_the_disk(place: Any, check: Check, store: Any, tmp_path: Path) -> None:
    place.write()
    folder = tmp_path / "work"
    folder.mkdir()
    most = []
    download = store.download

    def counted(key: str, path: Path) -> None:
        download(key, path)
        most.append(sum(1 for file in folder.rglob("*") if file.is_file()))

    store.download = counted
    assert check(folder=folder).passed
    assert most == [1, 1]
    assert list(folder.iterdir()) == []


# -- other manifests than the canonical one


def test_one_run_is_verified_by_its_id_after_later_ones(place: Any, check: Check, store: Any) -> None:
    place.write("r1")
    place.write("r2")
    del store.objects["r1_0.parquet"]
    assert check().passed
    assert kinds(check(run_id="r1")) == [FailureKind.PART_MISSING]
    assert check(run_id="r2").failures == ()


def test_an_earlier_runs_manifest_is_not_that_of_the_marker(place: Any, check: Check) -> None:
    place.write("r1")
    place.write("r2")
    report = check(run_id="r1")
    assert (report.passed, report.success_marker_consistent) == (True, False)


def test_a_run_without_a_manifest_is_unverified(place: Any, check: Check) -> None:
    place.write("r1")
    report = check(run_id="r9")
    assert (report.exit, kinds(report), report.legacy_run) == (Exit.USAGE, [FailureKind.MANIFEST_REQUIRED], False)


def test_all_rolls_of_a_run_are_one_dataset(place: Any, check: Check, store: Any) -> None:
    one, two = place.rows
    place.write("r1", [one], mode=Mode.CDC, roll=0, canonical=False)
    store.move("r1_0.parquet", "first.parquet")
    key = "manifest-r1-000000.json"
    store.objects[key] = store.objects[key].replace(b"r1_0.parquet", b"first.parquet")
    place.write("r1", [two], mode=Mode.CDC, roll=1)
    report = check()
    assert (report.failures, report.parts_verified) == ((), 2)
    del store.objects["first.parquet"]
    assert kinds(check()) == [FailureKind.PART_MISSING]


def test_a_damaged_roll_is_corrupt_and_a_strangers_damaged_manifest_is_not_ours(
    place: Any, check: Check, store: Any
) -> None:
    place.write("r1", mode=Mode.CDC, roll=1)
    store.objects["manifest-r0-000000.json"] = b"?"
    assert check().passed
    store.objects["manifest-r1-000000.json"] = b"?"
    assert kinds(check()) == [FailureKind.MANIFEST_INCONSISTENT]


def test_split_units_of_the_rust_tool_are_one_dataset(place: Any, check: Check, store: Any) -> None:
    for number in range(2):
        place.write(f"r{number}", export_name=f"t#{number}")
        window = SplitWindow(key_column="id", lo=number, hi=None)
        rewrite(store, split_window=window, export_family="t")
    assert check().parts_verified == 4
    del store.objects["r0_0.parquet"]
    assert kinds(check()) == [FailureKind.PART_MISSING]
