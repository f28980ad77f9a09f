"""Rows as texts that can be compared as a multiset: exact, also for -0.0, NaN, bytes and decimals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pyarrow as pa


def row_texts(data: pa.Table | pa.RecordBatch, columns: Iterable[str] | None = None) -> list[str]:
    """Return one text a row, names and values in column order; meant for the few rows of a test.

    :param columns: only these; None for all.
    """
    chosen = data if columns is None else data.select(list(columns))
    return [repr(row) for row in chosen.to_pylist()]


def difference(delivered: Iterable[str], expected: Iterable[str]) -> str:
    """Return what is lost and what is too much, as a text that is empty when the multisets are equal."""
    have, want = Counter(delivered), Counter(expected)
    lost, extra = want - have, have - want
    words = [f"lost {number} x {text}" for text, number in lost.items()]
    words += [f"too much {number} x {text}" for text, number in extra.items()]
    return "\n".join(words[:20])
