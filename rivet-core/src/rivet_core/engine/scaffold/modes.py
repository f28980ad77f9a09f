"""Which mode suits a relation: a table of rules over catalogue facts, the first that applies and is served wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.engine.scaffold.candidates import cursors, fallback

if TYPE_CHECKING:
    from rivet_core.engine.scaffold.looked import Looked

#: A relation of so many rows is read whole: no cleverness pays for itself.
SMALL: Final = 100_000
#: Rows of a chunk for relations of fewer rows than this.
_CHUNKS: Final = ((1_000_000, 100_000), (10_000_000, 250_000), (100_000_000, 1_000_000))
_LARGEST_CHUNK: Final = 2_500_000

#: The modes that are served: of each runner, the keys that an export may give it.
Served = Mapping[str, tuple[frozenset[str], ...]]


@attrs.frozen(kw_only=True)
class Suggestion:
    """A mode with its keys.

    :param why: one sentence without its full stop, for a comment.
    """

    mode: str
    keys: tuple[tuple[str, str | int | bool], ...] = ()
    why: str

    def served(self, served: Served) -> bool:
        """Whether an installed runner takes this mode with these keys."""
        return any({key for key, _ in self.keys} <= flat for flat in served.get(self.mode, ()))


def suggestions(looked: Looked, *, mode: str | None = None) -> tuple[Suggestion, ...]:
    """Return what suits a relation, the best first, whether or not anything serves it.

    :param mode: the one that is wanted, whatever the rules say.
    """
    found = [made for rule in _RULES if (made := rule(looked)) is not None]
    if mode is None:
        return tuple(found)
    wanted = [one for one in found if one.mode == mode]
    return tuple(wanted) or (Suggestion(mode=mode, why="the mode that was asked for"),)


def unserved(looked: Looked, chosen: Suggestion, served: Served) -> str | None:
    """Return a note when a better suggestion than the chosen one is served by nothing that is installed."""
    best = suggestions(looked)[0]
    if best.mode == chosen.mode or best.served(served):
        return None
    keys = ", ".join(f"{key}: {value}" for key, value in best.keys if isinstance(value, str))
    return f"mode {best.mode} ({keys}) would suit it, and no installed runner serves that"


def rows_text(rows: int | None) -> str:
    """Return an estimate as words."""
    return "an unknown number of rows" if rows is None else f"about {rows:,} rows"


def _small(looked: Looked) -> Suggestion | None:
    rows = looked.estimated_rows
    if rows is None:
        return Suggestion(mode="full", why="the catalogue has no estimate of its rows; each run reads all of them")
    return Suggestion(mode="full", why=f"{rows_text(rows)}; each run reads all of them") if rows <= SMALL else None


def _by_key(looked: Looked) -> Suggestion | None:
    key = looked.relation.primary_key
    column = next((one for one in looked.comparable if key == (one.name,)), None)
    rows = looked.estimated_rows
    if column is None or rows is None:
        return None
    workers = 1 if rows < 500_000 else 2 if rows < 5_000_000 else 4
    size = next((size for below, size in _CHUNKS if rows < below), _LARGEST_CHUNK)
    return Suggestion(
        mode="chunked",
        keys=(
            ("chunk_by_key", column.name),
            ("chunk_size", size),
            ("chunk_checkpoint", True),
            *((("parallel", workers),) if workers > 1 else ()),
        ),
        why=f"{rows_text(rows)}; each run reads all of them, in ranges of the primary key",
    )


def _by_cursor(looked: Looked) -> Suggestion | None:
    found = cursors(looked)
    if not found or not found[0].moment:
        return None
    keys: tuple[tuple[str, str | int | bool], ...] = (("cursor_column", found[0].column),)
    if (other := fallback(found)) is not None:
        keys += (("incremental_cursor_mode", "coalesce"), ("cursor_fallback_column", other))
    why = f"{rows_text(looked.estimated_rows)}; each run reads those with a later value than the last run saw"
    return Suggestion(mode="incremental", keys=keys, why=why)


def _whole(looked: Looked) -> Suggestion | None:
    return Suggestion(mode="full", why=f"{rows_text(looked.estimated_rows)}; each run reads all of them")


_RULES: Final[tuple[Callable[[Looked], Suggestion | None], ...]] = (_small, _by_key, _by_cursor, _whole)
