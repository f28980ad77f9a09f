"""Where two objects differ is said in one short line, however large they are."""

from __future__ import annotations

import pytest

from rivet_core.testing.octets import bytes_difference


def test_equal_bytes_have_no_difference() -> None:
    assert bytes_difference(bytearray(b"abc"), b"abc") == ""


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "absent, expected 3 bytes"),
        (b"", "0 bytes, expected 3; at byte 0: b'', expected b'abc'"),
        (b"abX", "3 bytes, expected 3; at byte 2: b'X', expected b'c'"),
        (b"abcd", "4 bytes, expected 3; at byte 3: b'd', expected b''"),
    ],
)
def test_the_first_differing_byte_is_named(found: bytes | None, said: str) -> None:
    assert bytes_difference(found, b"abc") == said


def test_a_difference_of_large_objects_is_short() -> None:
    assert len(bytes_difference(b"a" * 1_000_000, b"b" * 2_000_000)) < 200
