"""Which values a column holds, as digests: mergeable, and bounded however many values there are.

It is exact up to its bound. Beyond it the smallest digests stay, so that sets of different parts keep the same values,
and what they say is true of those values only: a sample, never a guess. Values themselves are not kept.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, Final

import attrs
import numpy as np
import pyarrow as pa

from rivet_core.manifest.canonical import EvenColumn, canonical, has_canonical_form
from rivet_core.manifest.row_hash import is_hashable, row_hashes
from rivet_core.manifest.xxh3 import digest64, digest64_fixed
from rivet_core.manifest.xxh3_words import Words

#: Values of one column that are kept where nobody chose a bound: 8 MB.
MOST: Final = 1_000_000

_EVERY: Final = 1 << 64
_WORD: Final = np.dtype("<u8")


@attrs.frozen(kw_only=True)
class Distinct:
    """The values of one column; merging is associative and commutative as long as they are not more than ``most``.

    :param most: so many values are kept.
    :param digests: of the kept values, each once, sorted, as little-endian 64-bit words.
    :param bound: beyond ``most``, the largest digest that is kept; None as long as every value is.
    :param repeated: cells whose value was there already; beyond ``most`` a lower limit.
    :param rows: rows that were looked at; NULLs count as rows and are no values.
    """

    most: int
    digests: bytes = attrs.field(default=b"", repr=False)
    bound: int | None = None
    repeated: int = 0
    rows: int = 0

    @property
    def kept(self) -> int:
        """How many values are kept."""
        return len(self.digests) // _WORD.itemsize

    @property
    def estimate(self) -> int:
        """How many values there are: exact without a bound, else what the density of the digests suggests."""
        return self.kept if self.bound is None else round(self.kept * _EVERY / (self.bound + 1))

    def merge(self, other: Distinct) -> Distinct:
        """Return the values of both."""
        most = min(self.most, other.most)
        bound = _lower(self.bound, other.bound)
        words = np.concatenate([_below(self.digests, bound), _below(other.digests, bound)])
        merged = _distinct(words, most, bound)
        return attrs.evolve(
            merged,
            repeated=merged.repeated + self.repeated + other.repeated,
            rows=self.rows + other.rows,
        )

    def narrowed(self, bound: int | None) -> Distinct:
        """Return what is left of it below another set's bound."""
        if bound is None or (self.bound is not None and self.bound <= bound):
            return self
        return attrs.evolve(self, digests=_below(self.digests, bound).tobytes(), bound=bound)

    def to_json(self) -> dict[str, Any]:
        """Return the state's form."""
        return {
            "most": self.most,
            "digests": b64encode(self.digests).decode("ascii"),
            # As text, since JSON readers lose integers beyond 2^53.
            "bound": None if self.bound is None else str(self.bound),
            "repeated": self.repeated,
            "rows": self.rows,
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> Distinct:
        """Return the values of :meth:`to_json`."""
        return Distinct(
            most=data["most"],
            digests=b64decode(data["digests"]),
            bound=None if data["bound"] is None else int(data["bound"]),
            repeated=data["repeated"],
            rows=data["rows"],
        )


def can_tell_apart(data_type: pa.DataType) -> bool:
    """Tell whether values of a type have digests."""
    return has_canonical_form(data_type) or is_hashable(data_type)


def distinct_values(column: pa.Array, most: int) -> Distinct:
    """Return the values of an array.

    :param most: at least one.
    :raises TypeError: when values of its type have no digest.
    """
    found = _distinct(_digests(column), most, None)
    return attrs.evolve(found, rows=len(column))


def _digests(column: pa.Array) -> Words:
    if not has_canonical_form(column.type):
        hashes = row_hashes(pa.RecordBatch.from_arrays([column], ["value"]), ["value"])
        words: Words = hashes.to_numpy().view(np.uint64)
        return words if not column.null_count else words[column.is_valid().to_numpy(zero_copy_only=False)]
    cells = canonical(column)
    if cells is None:
        msg = f"values of the type {column.type} have no digest"
        raise TypeError(msg)
    words = digest64_fixed(cells.data) if isinstance(cells, EvenColumn) else digest64(cells.data, cells.offsets)
    return words if cells.valid is None else words[cells.valid]


def _distinct(words: Words, most: int, bound: int | None) -> Distinct:
    # Stable, because the words are often runs that are sorted already.
    ordered = np.sort(words, kind="stable")
    first = np.ones(ordered.size, dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    once = ordered[first]
    repeated = int(ordered.size - once.size)
    if once.size > most:
        once = once[:most]
        bound = int(once[-1])
    return Distinct(most=most, digests=once.astype(_WORD).tobytes(), bound=bound, repeated=repeated)


def _below(digests: bytes, bound: int | None) -> Words:
    words: Words = np.frombuffer(digests, dtype=_WORD)
    return words if bound is None else words[: np.searchsorted(words, np.uint64(bound), side="right")]


def _lower(one: int | None, other: int | None) -> int | None:
    known = [bound for bound in (one, other) if bound is not None]
    return min(known, default=None)
