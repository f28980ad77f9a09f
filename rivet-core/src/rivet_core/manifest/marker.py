"""The ``_SUCCESS`` marker: one line that names the exact bytes of a manifest by their digest."""

from __future__ import annotations

import re
from typing import Final

from rivet_core.manifest.fingerprint import bytes_fingerprint

#: More than any marker; what is longer is not one.
MARKER_LIMIT: Final = 4096
_DIGEST: Final = re.compile(r"xxh3:[0-9a-f]{16}")


def digest(data: bytes) -> str:
    """Return ``xxh3:`` and 16 hex digits of the bytes."""
    return bytes_fingerprint(data)


def encode_marker(manifest: bytes) -> bytes:
    """Return the marker's content for a manifest's exact bytes."""
    return f"{digest(manifest)}\n".encode("ascii")


def parse_marker(data: bytes) -> str | None:
    """Return the digest that a marker names, or None when it is not a marker; the newline may be missing."""
    text = data.decode("ascii", errors="replace").strip()
    return text if _DIGEST.fullmatch(text) else None
