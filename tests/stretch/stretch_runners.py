"""A stranger's runners over any ordered source: seeking page by page, ranges in parallel, new rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.capabilities import RunnerCapabilities
from rivet_core.hookspecs import RunnerType, hookimpl
from rivet_core.requests import After, ColumnKey, Paging, Unit, Until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.capabilities import SourceCapabilities
    from rivet_core.protocols import Reader
    from rivet_core.requests import Intent, Term


@attrs.frozen(kw_only=True)
class SeekMode:
    """How to page.

    :param key: unique and NOT NULL.
    :param rows: of a page.
    :param ranges: units that are read at one time.
    """

    key: str = "id"
    rows: int = 10
    ranges: int = 1


def _ordered(intent: Intent, capabilities: SourceCapabilities) -> str | None:
    del intent
    return None if capabilities.ordered else "the source cannot order"


class SeekRunner:
    """Units between row percentiles, each read page by page; the first and the last are open-ended."""

    def __init__(self, options: SeekMode) -> None:
        self._options = options

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return one unit a range."""
        keys = (ColumnKey(self._options.key),)
        borders = reader.split(keys, self._options.ranges) if self._options.ranges > 1 else ()
        for n in range(len(borders) + 1):
            terms: list[Term] = []
            if n > 0:
                terms.append(After(keys, borders[n - 1]))
            if n < len(borders):
                terms.append(Until(keys, borders[n]))
            yield Unit(
                id=f"range{n}",
                ordinal=n,
                request=attrs.evolve(reader.request, terms=tuple(terms)),
                paging=Paging(keys=keys, rows=self._options.rows),
            )


class TailRunner:
    """Only rows after the export's high-water mark, page by page."""

    def __init__(self, options: SeekMode) -> None:
        self._options = options

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return the one unit."""
        keys = (ColumnKey(self._options.key),)
        terms = () if reader.position is None else (After(keys, reader.position),)
        yield Unit(
            id="tail",
            ordinal=0,
            request=attrs.evolve(reader.request, terms=terms),
            paging=Paging(keys=keys, rows=self._options.rows),
        )


SEEK = RunnerType(
    kind="stretch_seek",
    mode="stretch_seek",
    options=SeekMode,
    capabilities=RunnerCapabilities(),
    factory=SeekRunner,
    accepts=_ordered,
)
TAIL = RunnerType(
    kind="stretch_tail",
    mode="stretch_tail",
    options=SeekMode,
    capabilities=RunnerCapabilities(positioned=True, whole_relation=False),
    factory=TailRunner,
    accepts=_ordered,
)


@hookimpl
def rivet_runners() -> list[RunnerType]:
    """Declare the runners."""
    return [SEEK, TAIL]
