"""What the sink counted of one part: mergeable, stored with the part, so that a resumed run is judged whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TypeVar

import attrs

from rivet_core.manifest.distinct import Distinct

_MASK = (1 << 64) - 1
_TOGETHER = 16
_T = TypeVar("_T")

Counts = tuple[tuple[str, int], ...]


@attrs.frozen(kw_only=True)
class PartCounters:
    """Counts of one part, or, merged, of a run; merging is associative and commutative.

    :param rows: rows written.
    :param input_bytes: Arrow bytes before encoding.
    :param checksums: per column the wrapping sum mod 2^64 of its cells' digests; a column without a canonical form is
        absent.
    :param nulls: per column the NULL cells.
    :param widths: per text or binary column the bytes of its widest value.
    :param nulled: per column the cells replaced by NULL under ``on_invalid_value: null``.
    :param largest_batch: Arrow bytes of the largest batch that the source delivered.
    :param distinct: per column whose uniqueness is judged, its values.
    """

    rows: int = 0
    input_bytes: int = 0
    checksums: Counts = ()
    nulls: Counts = ()
    widths: Counts = ()
    nulled: Counts = ()
    largest_batch: int = 0
    distinct: tuple[tuple[str, Distinct], ...] = ()

    def merge(self, other: PartCounters) -> PartCounters:
        """Return the counters of both."""
        return PartCounters(
            rows=self.rows + other.rows,
            input_bytes=self.input_bytes + other.input_bytes,
            checksums=_merged(self.checksums, other.checksums, lambda a, b: (a + b) & _MASK),
            nulls=_merged(self.nulls, other.nulls, int.__add__),
            widths=_merged(self.widths, other.widths, max),
            nulled=_merged(self.nulled, other.nulled, int.__add__),
            largest_batch=max(self.largest_batch, other.largest_batch),
            distinct=_merged(self.distinct, other.distinct, Distinct.merge),
        )

    def to_json(self) -> str:
        """Return the state's form; checksums as text, since JSON readers lose integers beyond 2^53."""
        # Absent where nobody asked for it: it is large, and the ledger looks for it once the run is closed.
        distinct = {"distinct": {name: values.to_json() for name, values in self.distinct}} if self.distinct else {}
        return json.dumps(
            {
                "rows": self.rows,
                "input_bytes": self.input_bytes,
                "checksums": {name: str(value) for name, value in self.checksums},
                "nulls": dict(self.nulls),
                "widths": dict(self.widths),
                "nulled": dict(self.nulled),
                "largest_batch": self.largest_batch,
                **distinct,
            },
            sort_keys=True,
        )

    @staticmethod
    def from_json(text: str) -> PartCounters:
        """Return the counters of :meth:`to_json`."""
        data = json.loads(text)
        return PartCounters(
            rows=data["rows"],
            input_bytes=data["input_bytes"],
            checksums=tuple((name, int(value)) for name, value in sorted(data["checksums"].items())),
            nulls=tuple(sorted(data["nulls"].items())),
            widths=tuple(sorted(data["widths"].items())),
            nulled=tuple(sorted(data["nulled"].items())),
            largest_batch=data.get("largest_batch", 0),
            distinct=tuple(
                (name, Distinct.from_json(values)) for name, values in sorted(data.get("distinct", {}).items())
            ),
        )


def merged(texts: Iterable[str]) -> PartCounters:
    """Return the counters of many parts together, each as its state's form.

    What unique columns keep is large once it is of many parts: few parts are merged before all of them are.
    """
    total, some = PartCounters(), PartCounters()
    for number, text in enumerate(texts, start=1):
        some = some.merge(PartCounters.from_json(text))
        if number % _TOGETHER == 0:
            total, some = total.merge(some), PartCounters()
    return total.merge(some)


def _merged(
    left: tuple[tuple[str, _T], ...], right: tuple[tuple[str, _T], ...], join: Callable[[_T, _T], _T]
) -> tuple[tuple[str, _T], ...]:
    if not left or not right:
        return left or right
    result = dict(left)
    for name, value in right:
        result[name] = join(result[name], value) if name in result else value
    return tuple(sorted(result.items(), key=lambda item: item[0]))
