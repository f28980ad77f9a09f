"""Fingerprints: of a schema's names and types, and of the bytes of a file.

Drift is judged by comparing columns, not by these; they only identify.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import Final

import pyarrow as pa
import xxhash
from attrs import frozen

from rivet_core.manifest.checksums import META_COLUMNS
from rivet_core.manifest.type_names import type_name

_BLOCK: Final = 1 << 20


@frozen(kw_only=True)
class ContentFingerprint:
    """What identifies the bytes of a part: `xxh3:` and 16 hex digits, MD5 in base64, size."""

    xxh3: str
    md5: str
    size_bytes: int


def bytes_fingerprint(data: bytes) -> str:
    """Return `xxh3:` and the 16 hex digits of the XXH3-64 of some bytes."""
    return f"xxh3:{xxhash.xxh3_64_hexdigest(data)}"


def content_fingerprint(path: Path) -> ContentFingerprint:
    """Read a file once, in blocks, and return its fingerprint."""
    fast = xxhash.xxh3_64()
    md5 = hashlib.md5(usedforsecurity=False)
    size = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            fast.update(block)
            md5.update(block)
            size += len(block)
    return ContentFingerprint(
        xxh3=f"xxh3:{fast.hexdigest()}",
        md5=base64.b64encode(md5.digest()).decode("ascii"),
        size_bytes=size,
    )


def schema_fingerprint(schema: pa.Schema, *, without: Collection[str] = META_COLUMNS) -> str:
    """Return the fingerprint of a schema: its columns' names and types, sorted by name.

    :param without: columns left out, by default those that rivet adds.
    """
    fields = sorted((field for field in schema if field.name not in without), key=_name)
    lines = "".join(f"{field.name}\t{type_name(field.type)}\n" for field in fields)
    return bytes_fingerprint(lines.encode())


def _name(field: pa.Field) -> str:
    name: str = field.name
    return name
