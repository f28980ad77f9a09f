from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.errors import RefusalError
from rivet_core.manifest import codec
from rivet_core.manifest.codec import decode, encode
from rivet_core.manifest.model import Manifest, Mode, Part, PartStatus, RowHash, SplitWindow, Status
from rivet_core.types import Position

#: Byte for byte what rivet-cli 0.32.2 wrote, but for its clock values and addresses.
FOREIGN = """{
  "manifest_version": 1,
  "run_id": "t_20261130T224354.978_8253",
  "export_name": "t",
  "export_family": "t",
  "mode": "batch",
  "started_at": "2026-11-30T22:43:54.978389193+00:00",
  "finished_at": "2026-11-30T22:43:55.084341544+00:00",
  "status": "success",
  "source": {
    "engine": "postgres",
    "schema": null,
    "table": "items",
    "extraction": {
      "strategy": "incremental",
      "cursor_column": "id",
      "cursor_high": "2500"
    }
  },
  "destination": {
    "kind": "local",
    "uri": "file:///data/t"
  },
  "format": "parquet",
  "compression": "zstd",
  "schema_fingerprint": "xxh3:58f9a9f40eab8647",
  "row_count": 2500,
  "part_count": 1,
  "parts": [
    {
      "part_id": 1,
      "path": "t_20261130_224354_978_8253_8f40abc13e4dce0e.parquet",
      "rows": 2500,
      "size_bytes": 206912,
      "content_fingerprint": "xxh3:121950e8823e9882",
      "content_md5": "9UnAvDYbYKAtxCjoDAxkag==",
      "status": "committed"
    }
  ],
  "column_checksums": [
    {
      "name": "amount",
      "checksum": "16972429960028655212"
    },
    {
      "name": "id",
      "checksum": "10166623975237321961"
    }
  ],
  "checksum_render": "xxh3-64-sum-v2",
  "checksum_key_column": "id",
  "row_hash": {
    "column": "_rivet_row_hash",
    "covered": true,
    "render": "xxh3-128-i64-arrow-display-us-v2"
  }
}"""


def document(**changes: Any) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(FOREIGN)
    return parsed | changes


def refusal(changed: object) -> RefusalError:
    data = changed if isinstance(changed, bytes) else json.dumps(changed).encode()
    with pytest.raises(RefusalError) as caught:
        decode(data, "manifest.json")
    assert caught.value.code == "RIVET_DEST_CONTROL_ARTIFACT_INVALID"
    return caught.value


def test_a_manifest_with_everything_survives_its_bytes(manifest: Manifest) -> None:
    assert decode(encode(manifest)) == manifest


def test_a_manifest_with_the_least_survives_its_bytes(bare: Manifest) -> None:
    assert decode(encode(bare)) == bare


def test_equal_manifests_have_equal_bytes(manifest: Manifest) -> None:
    assert encode(attrs.evolve(manifest)) == encode(manifest)


def test_a_manifest_of_the_rust_tool_is_read_and_written_byte_for_byte() -> None:
    assert encode(decode(FOREIGN.encode())).decode() == FOREIGN


def test_our_own_fields_follow_after_those_of_the_rust_tool(manifest: Manifest) -> None:
    known = list(json.loads(FOREIGN))
    ours = list(json.loads(encode(manifest)))
    assert ours[: len(known)] == known
    assert ours[len(known) :] == ["nulled", "position", "roll", "writer", "arrow_schema"]


def test_bytes_have_no_newline_at_the_end_and_no_escapes(manifest: Manifest) -> None:
    text = encode(manifest).decode()
    assert text.endswith("\n}")
    assert "näme" in text


def test_unknown_fields_are_left_alone_at_every_level() -> None:
    changed = document(later=[1])
    for inner in (changed["source"], changed["source"]["extraction"], changed["destination"], changed["parts"][0]):
        inner["later"] = {"a": None}
    assert decode(json.dumps(changed).encode()) == decode(FOREIGN.encode())


def test_an_absent_mode_is_batch() -> None:
    changed = document()
    del changed["mode"]
    assert decode(json.dumps(changed).encode()).mode is Mode.BATCH


@pytest.mark.parametrize(
    "window", [{"key_column": "id", "lo": 1, "hi": None}, {"key_column": "id", "lo": "a", "hi": "b"}]
)
def test_a_split_window_is_read_whether_its_bounds_are_numbers_or_text(window: dict[str, Any]) -> None:
    assert decode(json.dumps(document(split_window=window)).encode()).split_window == SplitWindow(**window)


@pytest.mark.parametrize(
    "name",
    [
        "manifest_version",
        "run_id",
        "export_name",
        "started_at",
        "finished_at",
        "status",
        "source",
        "destination",
        "format",
        "compression",
        "schema_fingerprint",
        "row_count",
        "part_count",
        "parts",
    ],
)
def test_a_missing_field_is_named(name: str) -> None:
    changed = document()
    del changed[name]
    assert f"manifest.json.{name}" in refusal(changed).message


@pytest.mark.parametrize("name", ["part_id", "path", "rows", "size_bytes", "content_fingerprint", "status"])
def test_a_missing_field_of_a_part_is_named(name: str) -> None:
    changed = document()
    del changed["parts"][0][name]
    assert f"manifest.json.parts[0].{name}" in refusal(changed).message


@pytest.mark.parametrize("value", [True, -1, 1.0, "1", None, [1], 1 << 63])
def test_a_count_is_a_whole_number(value: object) -> None:
    assert "whole number" in refusal(document(row_count=value)).message


@pytest.mark.parametrize("value", ["", "-1", "+1", "1_0", "0x1", " 1", "1.0", "²", "18446744073709551616", "9" * 5000])
def test_a_checksum_is_a_decimal_number_below_2_to_the_64(value: str) -> None:
    assert "2^64" in refusal(document(column_checksums=[{"name": "id", "checksum": value}])).message


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "../a",
        "a/../../b",
        "a/..",
        ".",
        "./a",
        "a//b",
        "a/",
        "..\\a",
        "a\\b",
        "C:/a",
        "C:a",
        "a\0b",
        "a\nb",
    ],
)
def test_a_path_out_of_the_prefix_is_refused(path: str) -> None:
    changed = document()
    changed["parts"][0]["path"] = path
    assert "parts[0].path" in refusal(changed).message


def test_a_newer_version_is_refused_by_its_number() -> None:
    assert "version 2" in refusal(document(manifest_version=2)).message


def test_an_unknown_status_names_the_known_ones() -> None:
    assert "running, success, failed, interrupted" in refusal(document(status="done")).message


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"manifest_version": NaN}', b"[" * 100_000])
def test_what_is_not_a_json_object_is_refused(data: bytes) -> None:
    assert refusal(data).remedy


def test_a_field_that_stands_there_twice_is_refused() -> None:
    twice = FOREIGN.replace('"format": "parquet",', '"format": "parquet",\n  "format": "csv",')
    assert "twice" in refusal(twice.encode()).message


def test_what_is_too_large_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "CONTROL_LIMIT", len(FOREIGN) - 1)
    assert "limit" in refusal(FOREIGN.encode()).message


def test_nothing_is_written_that_would_be_too_large_to_read(
    manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codec, "CONTROL_LIMIT", len(encode(manifest)) - 1)
    with pytest.raises(RefusalError, match="limit"):
        encode(manifest)


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
counts = st.integers(0, (1 << 63) - 1)
simple = st.builds(Position, words, words)
positions = st.recursive(simple, lambda inner: st.builds(Position, words, st.lists(inner, max_size=3).map(tuple)))
parts = st.builds(
    Part,
    part_id=counts,
    path=st.from_regex(r"[a-zé ]{1,5}(/[a-z=]{1,5})?\.parquet", fullmatch=True),
    rows=counts,
    size_bytes=counts,
    content_fingerprint=words,
    content_md5=st.none() | words,
    status=st.sampled_from(PartStatus),
)


@given(
    st.fixed_dictionaries(
        {
            "run_id": words,
            "status": st.sampled_from(Status),
            "mode": st.sampled_from(Mode),
            "parts": st.lists(parts, max_size=3).map(tuple),
            "column_checksums": st.dictionaries(words, st.integers(0, (1 << 64) - 1)).map(
                lambda d: tuple(sorted(d.items()))
            ),
            "nulled": st.dictionaries(words, counts).map(lambda d: tuple(sorted(d.items()))),
            "position": st.none() | positions,
            "roll": st.none() | counts,
            "row_hash": st.none()
            | st.builds(RowHash, column=words, covered=st.none() | st.lists(words).map(tuple), render=words),
        }
    )
)
def test_any_manifest_survives_its_bytes(changes: dict[str, Any]) -> None:
    changed = attrs.evolve(decode(FOREIGN.encode()), **changes)
    assert decode(encode(changed)) == changed
