"""Column checksums: sums of cell digests that add up over batches, parts and workers.

A checksum is the sum, modulo 2**64, of the XXH3-64 of each cell's canonical bytes; a NULL adds
nothing. With a key column every cell is hashed together with its row's key, so that values
swapped between rows show. Comparing sums with a manifest is `verification`'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.manifest.canonical import (
    CanonicalColumn,
    EvenColumn,
    canonical,
    has_canonical_form,
)
from rivet_core.manifest.keyed import binary, keyed_digests
from rivet_core.manifest.xxh3 import digest64, digest64_fixed
from rivet_core.manifest.xxh3_words import MASK64, Words

RENDER: Final = "xxh3-64-sum-v2"
"""The value of the manifest's `checksum_render`: names this fold and these canonical bytes."""

META_COLUMNS: Final = frozenset({"_rivet_exported_at", "_rivet_row_hash"})
"""Columns that rivet adds; they have no checksum."""


def checksummed_columns(schema: pa.Schema) -> tuple[str, ...]:
    """Return the names of the columns that get a checksum, in the schema's order."""
    return tuple(field.name for field in schema if field.name not in META_COLUMNS and has_canonical_form(field.type))


def column_checksums(batch: pa.RecordBatch, key: str | None) -> dict[str, int]:
    """Return the checksum of each column of a batch that has one.

    A NULL key counts as the key type's zero bytes (none, for strings, binaries and lists). A key
    that is absent or has no canonical form counts as no key. Both are what rivet-cli does.

    :param key: the column whose bytes precede each cell's, itself included.
    """
    keys = _keys(batch, key)
    names = checksummed_columns(batch.schema)
    return {name: _checksum(canonical(batch.column(name)), keys) for name in names}


def merge(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Add two sets of checksums; a column absent from one of them counts as zero there."""
    names = dict.fromkeys((*one, *other))
    return {name: (one.get(name, 0) + other.get(name, 0)) & MASK64 for name in names}


def _keys(batch: pa.RecordBatch, key: str | None) -> CanonicalColumn | None:
    if key is None or key not in batch.schema.names:
        return None
    column = canonical(batch.column(key))
    if column is None or column.valid is None:
        return column
    if isinstance(column, EvenColumn):
        return EvenColumn(data=np.where(column.valid[:, None], column.data, np.uint8(0)), valid=None)
    cells = binary(column)
    without_nulls = pc.if_else(pa.array(column.valid), cells, pa.scalar(b"", pa.large_binary()))
    return canonical(without_nulls.cast(pa.binary()))


def _checksum(column: CanonicalColumn | None, keys: CanonicalColumn | None) -> int:
    if column is None:
        return 0
    digests = _digests(column) if keys is None else keyed_digests(keys, column)
    if column.valid is not None:
        digests = digests[column.valid]
    return int(digests.sum(dtype=np.uint64))


def _digests(column: CanonicalColumn) -> Words:
    if isinstance(column, EvenColumn):
        return digest64_fixed(column.data)
    return digest64(column.data, column.offsets)
