"""What the sink counted of one part: mergeable, stored with the part, so that a resumed run is judged whole."""

from __future__ import annotations

import json
from collections.abc import Callable

import attrs

_MASK = (1 << 64) - 1

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
    """

    rows: int = 0
    input_bytes: int = 0
    checksums: Counts = ()
    nulls: Counts = ()
    widths: Counts = ()
    nulled: Counts = ()

    def merge(self, other: PartCounters) -> PartCounters:
        """Return the counters of both."""
        return PartCounters(
            rows=self.rows + other.rows,
            input_bytes=self.input_bytes + other.input_bytes,
            checksums=_merged(self.checksums, other.checksums, lambda a, b: (a + b) & _MASK),
            nulls=_merged(self.nulls, other.nulls, int.__add__),
            widths=_merged(self.widths, other.widths, max),
            nulled=_merged(self.nulled, other.nulled, int.__add__),
        )

    def to_json(self) -> str:
        """Return the state's form; checksums as text, since JSON readers lose integers beyond 2^53."""
        return json.dumps(
            {
                "rows": self.rows,
                "input_bytes": self.input_bytes,
                "checksums": {name: str(value) for name, value in self.checksums},
                "nulls": dict(self.nulls),
                "widths": dict(self.widths),
                "nulled": dict(self.nulled),
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
        )


def _merged(left: Counts, right: Counts, join: Callable[[int, int], int]) -> Counts:
    result = dict(left)
    for name, value in right:
        result[name] = join(result[name], value) if name in result else value
    return tuple(sorted(result.items()))
