"""The problem of a key that nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.config.nodes import Scalar, step
from rivet_core.config.problems import Problem
from rivet_core.config.showing import is_a_word, may_be_told, shown
from rivet_core.config.suggestions import closest, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.config.nodes import Entry


def unknown_key(entry: Entry, known: Iterable[str]) -> Problem:
    """Return the problem; what may be a piece of a secret is not named."""
    known = tuple(known)
    empty = isinstance(entry.value, Scalar) and entry.value.plain and not entry.value.text
    slipped = not may_be_told(entry.key, entry.place.path)
    if closest(entry.key, known) is None and (entry.doubtful or empty or slipped or not is_a_word(entry.key)):
        place = attrs.evolve(entry.place, path=_above(entry))
        remedy = "write 'key: value', and put a text with commas, colons or other special characters in quotes"
        return Problem(place=place, message="what stands here is no key that is known", remedy=remedy)
    return Problem(place=entry.place, message=f"unknown key {shown(entry.key)}", remedy=suggest(entry.key, known))


def _above(entry: Entry) -> str | None:
    """Return the path of the block that an entry stands in."""
    return (entry.place.path or "").removesuffix(step("", entry.key)).rstrip(".") or None
