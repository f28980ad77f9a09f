from __future__ import annotations

import pytest

from rivet_core.manifest.marker import digest, encode_marker, parse_marker
from rivet_core.manifest.names import is_contained, is_control, is_roll_of, is_run_manifest, run_manifest


def test_a_run_id_is_made_safe_as_the_rust_tool_does_it() -> None:
    run_id = "odd-name é.x_20261130T224755.954_11718"
    assert run_manifest(run_id) == "manifest-odd-name--.x_20261130T224755.954_11718.json"


@pytest.mark.parametrize("run_id", ["../../x", "a/b", "a\\b", "a\0b", "..", "a#1"])
def test_no_run_id_leads_out_of_the_prefix(run_id: str) -> None:
    assert is_contained(run_manifest(run_id))
    assert is_run_manifest(run_manifest(run_id))


def test_rolls_sort_by_number_and_belong_to_their_run_only() -> None:
    names = [run_manifest("r", number) for number in (0, 9, 10, 1_000_000)]
    assert names[:3] == sorted(names[:3])
    assert all(is_roll_of(name, "r") for name in names)
    assert not any(is_roll_of(name, "s") for name in names)
    assert not is_roll_of(run_manifest("r"), "r")


@pytest.mark.parametrize(
    "key", ["manifest.json", "_SUCCESS", "manifest-a.json", "_quarantine/run/a.parquet", ".rivet_doctor_probe"]
)
def test_control_objects_are_no_parts(key: str) -> None:
    assert is_control(key)


@pytest.mark.parametrize(
    "key", ["a.parquet", "manifest-a.parquet", "sub/manifest-a.json", "_SUCCESS.csv", "x/_quarantine/a"]
)
def test_everything_else_may_be_a_part(key: str) -> None:
    assert not is_control(key)


def test_a_marker_names_the_bytes_in_one_line() -> None:
    assert encode_marker(b"") == b"xxh3:2d06800538d394c2\n"


def test_a_marker_says_again_what_it_was_made_of() -> None:
    assert parse_marker(encode_marker(b"{}")) == digest(b"{}")


def test_a_marker_without_its_newline_is_still_one() -> None:
    assert parse_marker(b"xxh3:2d06800538d394c2") == "xxh3:2d06800538d394c2"


@pytest.mark.parametrize(
    "data",
    [b"", b"hello\n", b"xxh3:2d06800538d394c\n", b"xxh3:2D06800538D394C2\n", b"\xff" * 21, b"xxh3:2d06800538d394c2\nx"],
)
def test_anything_else_is_no_marker(data: bytes) -> None:
    assert parse_marker(data) is None
