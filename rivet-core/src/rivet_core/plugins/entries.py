"""The index of plugins as installed metadata tells it; nothing is imported for it."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

#: The entry-point group.
GROUP: Final = "rivet"
#: The distribution of the built-in plugins, which no restriction leaves out.
CORE: Final = "rivet-core"


class Seam(StrEnum):
    """Where a plugin fits; the first word of an entry's name."""

    SOURCE = "source"
    RUNNER = "runner"
    FORMAT = "format"
    DESTINATION = "destination"
    OBSERVER = "observer"


@attrs.frozen(kw_only=True)
class Entry:
    """One kind that a distribution offers.

    :param seam: None when the entry's name is not ``seam.kind``; then ``kind`` is the whole name.
    :param target: ``module`` or ``module:attribute``.
    """

    seam: Seam | None
    kind: str
    target: str
    distribution: str
    version: str

    @property
    def name(self) -> str:
        """The entry's name in the metadata."""
        return self.kind if self.seam is None else f"{self.seam}.{self.kind}"

    @property
    def origin(self) -> str:
        """Distribution and version, for messages."""
        return f"{self.distribution} {self.version}".strip()


def read_entries(points: Iterable[EntryPoint]) -> tuple[Entry, ...]:
    """Return the entries of the metadata, ordered by name and distribution, each once."""
    entries = {_entry(point) for point in points}
    return tuple(sorted(entries, key=lambda entry: (entry.name, entry.distribution, entry.target)))


def restrict(entries: Iterable[Entry], allowed: str | None) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Split the entries into those in use and those left out.

    :param allowed: the value of ``RIVET_PLUGINS``: distributions separated by commas; empty for the built-in plugins
        alone, None for no restriction.
    """
    entries = tuple(entries)
    if allowed is None:
        return entries, ()
    names = {normal(name) for name in allowed.split(",") if name.strip()} | {CORE}
    kept = tuple(entry for entry in entries if normal(entry.distribution) in names)
    return kept, tuple(entry for entry in entries if entry not in kept)


def normal(distribution: str) -> str:
    """Return a distribution's name in the one spelling that package tools compare."""
    return re.sub(r"[-_.]+", "-", distribution.strip()).lower()


def _entry(point: EntryPoint) -> Entry:
    word, _, kind = point.name.partition(".")
    known = word in set(Seam) and bool(kind)
    return Entry(
        seam=Seam(word) if known else None,
        kind=kind if known else point.name,
        target=point.value.replace(" ", ""),
        distribution=point.dist.name if point.dist is not None else "(unknown distribution)",
        version=point.dist.version if point.dist is not None else "",
    )
