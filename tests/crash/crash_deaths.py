"""Ways to die in process: after a death everything that could become durable refuses, as if the process were gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.hookspecs import DestinationType


class Died(BaseException):
    """The process is gone."""


class Death:
    """Dies at the n-th statement of the state, or at the n-th passing of a named point; and stays dead.

    :param statement: 1-based; None never.
    :param point: a name of :data:`rivet_core.ledger.points.POINTS`.
    """

    def __init__(self, *, statement: int | None = None, point: str | None = None, nth: int = 1) -> None:
        self.statements = 0
        self.points: list[str] = []
        self._statement = statement
        self._point = point
        self._nth = nth
        self._dead = False
        self._lock = threading.Lock()

    @property
    def happened(self) -> bool:
        """Whether it came to that."""
        return self._dead

    def before_statement(self, statement: str) -> None:
        """Count a statement, and die."""
        del statement
        with self._lock:
            self.statements += 1
            if self.statements == self._statement:
                self._dead = True
        self.check()

    def probe(self, point: str) -> None:
        """Count a point, and die."""
        with self._lock:
            self.points.append(point)
            if point == self._point and self.points.count(point) == self._nth:
                self._dead = True
        self.check()

    def check(self) -> None:
        """Refuse, when dead."""
        if self._dead:
            raise Died

    def wrap(self, destination: DestinationType) -> DestinationType:
        """Return the destination of a mortal process."""
        return wrapped(destination, lambda real: _Mortal(real, self.check))


class _Mortal:
    """Every call asks first whether the process lives."""

    def __init__(self, real: Any, check: Callable[[], None]) -> None:
        self._real = real
        self._check = check

    def __getattr__(self, name: str) -> Any:
        if name not in {"close", "uri", "staging"}:
            self._check()
        return getattr(self._real, name)


def wrapped(destination: DestinationType, wrap: Callable[[Any], Any]) -> DestinationType:
    """Return a destination type whose destinations are wrapped."""
    factory = destination.factory
    return attrs.evolve(destination, factory=lambda options: wrap(factory(options)))
