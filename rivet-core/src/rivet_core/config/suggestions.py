"""Which of the allowed words a misspelt one was meant to be."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def closest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is nearest to the word, if one is near."""
    folded = {choice.lower().replace("-", "_"): choice for choice in choices}
    wanted = word.lower().replace("-", "_")
    near = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.7)
    return folded[near[0]] if near else None


def suggest(word: str, choices: Iterable[str]) -> str:
    """Return a remedy: the nearest choice, or the list of all."""
    names = sorted(set(choices))
    near = closest(word, names)
    if near is not None:
        return f"did you mean {near!r}?"
    return f"choose one of {', '.join(names)}" if names else "remove it"
