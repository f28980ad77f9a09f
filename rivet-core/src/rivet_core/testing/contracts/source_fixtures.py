"""What an author of a source gives to its contract, and what the contract makes of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from rivet_core.capabilities import Restart, SnapshotSupport, SourceCapabilities
from rivet_core.protocols import Source
from rivet_core.requests import Keys, Term
from rivet_core.testing.contract import Contract, lacks
from rivet_core.testing.contracts.reading import Walk, walk
from rivet_core.testing.samples import Filled, Sample, Typed
from rivet_core.types import Query, Relation

Fill = Callable[[Sample], Filled]
OpenSource = Callable[[], Source]
Courses = Callable[..., Walk]

#: A read or a write that takes longer is taken for a lock.
PATIENCE = 20.0


class SourceFixtures(Contract, sealed=True):
    """The fixtures of a source's contract."""

    seam = "source"
    assumed = SourceCapabilities()
    gives: ClassVar[frozenset[str]] = frozenset(
        {
            "options", "source", "fill", "typed", "query", "insert", "kill", "wrong_options", "secrets", "endless",
        }
    )  # fmt: skip
    requirements: ClassVar[Mapping[str, Callable[[SourceCapabilities], bool]]] = {
        "ordered": lambda can: can.ordered,
        "queries": lambda can: can.queries,
        "rereading": lambda can: can.restart is not Restart.NEVER,
        "restart at marks": lambda can: can.restart is Restart.MARK,
        "snapshot": lambda can: can.snapshot is not SnapshotSupport.NONE,
        "estimates": lambda can: can.estimates,
        "relations": lambda can: can.relations,
        "changes": lambda can: can.changes,
        "pressure": lambda can: can.pressure,
    }

    # -- given ------------------------------------------------------------

    @pytest.fixture
    def options(self) -> Any:
        """Give an instance of the declaration's options, for a server and database that the test may fill."""
        pytest.fail("the source contract needs the fixture `options` (or `source`) and the attribute `declaration`")

    @pytest.fixture
    def source(self, options: Any) -> Iterator[Source]:
        """Give one source; without this fixture it is made by the declaration's factory."""
        made: Source = type(self).declaration.factory(options)
        yield made
        made.close()

    @pytest.fixture
    def fill(self) -> Fill:
        """Give a function that makes a sample's table, replacing one of that name, and says what it will deliver."""
        pytest.fail("the source contract needs the fixture `fill`")

    @pytest.fixture
    def typed(self) -> Typed:
        """Give a relation with a column of every type that the source can deliver, and what has to arrive."""
        pytest.fail("the source contract needs the fixture `typed`")

    @pytest.fixture
    def query(self) -> Callable[[Relation], Query]:
        """Give a function that makes a query for everything in a table; for sources that take queries."""
        pytest.fail("a source that takes queries gives the fixture `query`")

    @pytest.fixture
    def insert(self) -> Callable[[Relation, pa.Table], None]:
        """Give a function that appends rows, on another connection and committed, where that is possible."""
        lacks("no `insert`: nobody else can write to this source")

    @pytest.fixture
    def kill(self) -> Callable[[], None]:
        """Give a function that ends the source's connections from the server's side, where there is a server."""
        lacks("no `kill`: there is no connection to end")

    @pytest.fixture
    def wrong_options(self) -> Any:
        """Give options with a wrong password, where there are passwords."""
        lacks("no `wrong_options`: this source knows no credentials")

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        """Give every secret in the options and in the wrong options, as plain text."""
        return ()

    @pytest.fixture
    def endless(self) -> Relation:
        """Give a relation whose read would go on for minutes, where there is one."""
        lacks("no `endless`: no read of this source blocks")

    # -- ours -------------------------------------------------------------

    @pytest.fixture
    def open_source(self, options: Any) -> Iterator[OpenSource]:
        """Return a function that makes one more source; all are closed at the end."""
        made: list[Source] = []

        def make() -> Source:
            made.append(type(self).declaration.factory(options))
            return made[-1]

        yield make
        for one in made:
            one.close()

    @pytest.fixture
    def courses(self, source: Source, fill: Fill) -> Courses:
        """Return a function that fills a sample once and walks through it in an order of unique keys, once."""
        filled: dict[str, Filled] = {}
        known: dict[object, Walk] = {}

        def course(sample: Sample, keys: Keys, *terms: Term) -> Walk:
            if sample.name not in filled:
                filled[sample.name] = fill(sample)
            if (sample.name, keys, terms) not in known:
                known[sample.name, keys, terms] = walk(source, filled[sample.name].relation, keys, *terms)
            return known[sample.name, keys, terms]

        return course


class Background:
    """A call on a thread of its own, for what may block: it ends in time or the test fails."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.error: BaseException | None = None
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._call()
        except BaseException as error:  # noqa: BLE001 - handed over to the test
            self.error = error

    def ended(self, seconds: float = PATIENCE) -> bool:
        """Wait, and return whether the call is over."""
        self._thread.join(seconds)
        return not self._thread.is_alive()


def in_time(call: Callable[[], object], why: str) -> None:
    """Run a call that must not block, and fail with ``why`` when it does."""
    background = Background(call)
    assert background.ended(), why
    if background.error is not None:
        raise background.error
