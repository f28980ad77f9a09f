"""The runner: cuts an export into units; it reads no rows and writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rivet_core.requests import Keys, ReadRequest, Unit
    from rivet_core.schema import Bounds, Key
    from rivet_core.types import Position


@runtime_checkable
class Reader(Protocol):
    """What a runner may ask while it plans units; it can read facts, not rows."""

    @property
    def request(self) -> ReadRequest:
        """The plain request for the whole export, to be narrowed with ``attrs.evolve``."""

    @property
    def position(self) -> Position | None:
        """The export's high-water mark, or None before the first successful run."""

    @property
    def workers(self) -> int:
        """How many units are read at one time."""

    @property
    def estimated_rows(self) -> int | None:
        """The catalogue's estimate."""

    def keys(self) -> tuple[Key, ...]:
        """Return the relation's usable keys."""

    def bounds(self, column: str) -> Bounds | None:
        """Return a column's extremes."""

    def split(self, keys: Keys, n: int) -> tuple[Position, ...]:
        """Return inner borders that cut the rows into about equal shares."""

    def now(self) -> datetime:
        """Return the source's clock, frozen for the run."""

    def head(self) -> Position | None:
        """Return the end of a change stream as of now; None for other sources."""


@runtime_checkable
class Runner(Protocol):
    """Cuts one export into units."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        """Return the run's units, ordinals ascending from 0.

        Asked once a run, before the first read; the engine stores them and never asks again, so a resumed run has the
        same units although the relation has grown.
        """
