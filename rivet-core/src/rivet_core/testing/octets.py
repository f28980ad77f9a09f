"""Objects as bytes that can be compared: a failure names the place, where pytest would compare them line by line.

On a CI machine pytest shows the whole difference, which takes hours for a few hundred kilobytes.
"""

from __future__ import annotations


def bytes_difference(found: bytes | bytearray | None, expected: bytes) -> str:
    """Return where the bytes differ, as a text that is empty when they are equal; None is an absent object."""
    if found == expected:
        return ""
    if found is None:
        return f"absent, expected {len(expected)} bytes"
    common = min(len(found), len(expected))
    first = next((number for number in range(common) if found[number] != expected[number]), common)
    there, wanted = bytes(found[first : first + 16]), expected[first : first + 16]
    return f"{len(found)} bytes, expected {len(expected)}; at byte {first}: {there!r}, expected {wanted!r}"
