"""The contract of a runner, over a reference source: its units, and what reading and resuming them delivers."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.capabilities import RunnerCapabilities
from rivet_core.engine.paging import read_unit
from rivet_core.protocols import Runner
from rivet_core.requests import Budget, ReadContext, Unit, decode_unit, encode_unit
from rivet_core.testing.contract import Contract, needs
from rivet_core.testing.contracts.examples import examples
from rivet_core.testing.contracts.reading import delivered, travelled
from rivet_core.testing.reference_reader import ReferenceReader
from rivet_core.testing.reference_source import ReferenceDatabase, ReferenceOptions, ReferenceSource
from rivet_core.testing.rows import difference, row_texts
from rivet_core.testing.samples import HIGHEST, LEDGER, LOWEST
from rivet_core.testing.strategies import ledger_rows
from rivet_core.types import Position

SAFE_ID = re.compile(r"[A-Za-z0-9_-]+")
Expected = Callable[[pa.Table], pa.Table]


@attrs.frozen
class World:
    """A reference source with one table, and a runner's view of it."""

    database: ReferenceDatabase
    source: ReferenceSource
    reader: ReferenceReader

    def rows(self) -> pa.Table:
        """Return what is stored now."""
        return self.database.tables["ledger"].rows


def world(rows: pa.Table, *, position: Position | None = None, workers: int = 2) -> World:
    """Return a fresh world in which the table ``ledger``, with the key ``id``, holds these rows."""
    database = ReferenceDatabase()
    relation = database.create("ledger", rows, key=("id",))
    source = ReferenceSource(ReferenceOptions(database=database))
    reader = ReferenceReader.over(source, relation, position=position, workers=workers)
    # Small batches, so that there is something to resume in the middle of.
    return World(database, source, attrs.evolve(reader, request=attrs.evolve(reader.request, budget=Budget(rows=3))))


def read_all(where: World, units: Iterable[Unit]) -> list[str]:
    """Return every row that the units deliver."""
    return [
        text for unit in units for text in delivered(read_unit(where.source, unit, ReadContext()), where.reader.request)
    ]


class RunnerContract(Contract, sealed=True):
    """What the engine relies on in every runner; an author gives ``runner``, or ``options`` and ``declaration``.

    The runner meets a table ``ledger`` with the columns ``id`` (the key), ``tie``, ``gap`` (with NULLs), ``text``,
    ``amount`` and ``bytes``, and options name what they need of these. ``expected`` says what one run without a
    position delivers, where that is not the whole relation.
    """

    seam = "runner"
    assumed = RunnerCapabilities()
    gives: ClassVar[frozenset[str]] = frozenset({"options", "runner", "expected"})
    requirements: ClassVar[Mapping[str, Callable[[RunnerCapabilities], bool]]] = {
        "positioned": lambda can: can.positioned,
        "whole relation": lambda can: can.whole_relation,
        "rolls": lambda can: can.rolls is not None,
    }

    # -- given ------------------------------------------------------------

    @pytest.fixture
    def options(self) -> Any:
        """Give an instance of the declaration's options; or give ``runner`` itself."""
        pytest.fail("the runner contract needs the fixture `runner`, or `options` and `declaration`")

    @pytest.fixture
    def runner(self, options: Any) -> Runner:
        """Give the runner; without this fixture the declaration's factory makes it."""
        made: Runner = type(self).declaration.factory(options)
        return made

    @pytest.fixture
    def expected(self) -> Expected:
        """Give a function from the table's rows to those that a run without a position delivers; all, if not given."""
        return lambda rows: rows

    # -- units as values --------------------------------------------------

    def test_ordinals_ascend_from_zero(self, runner: Runner) -> None:
        """Units come in the order of their ordinals, which count up from 0."""
        units = list(runner.units(world(LEDGER.rows).reader))
        assert [unit.ordinal for unit in units] == list(range(len(units)))

    def test_ids_are_unique_and_fit_into_names(self, runner: Runner) -> None:
        """A unit's id is unique in the run, and made of letters, digits, ``-`` and ``_`` only."""
        ids = [unit.id for unit in runner.units(world(LEDGER.rows).reader)]
        assert ids
        assert len(set(ids)) == len(ids)
        assert [name for name in ids if not SAFE_ID.fullmatch(name)] == []

    def test_equal_facts_give_equal_units(self, runner: Runner) -> None:
        """Asked twice with the same facts, a runner gives the same units under the same ids."""
        reader = world(LEDGER.rows).reader
        assert list(runner.units(reader)) == list(runner.units(reader))

    def test_units_travel(self, runner: Runner) -> None:
        """A unit pickles, for another process or machine, and arrives as it was."""
        units = list(runner.units(world(LEDGER.rows).reader))
        assert pickle.loads(pickle.dumps(units)) == units  # noqa: S301 - our own

    def test_units_survive_the_state(self, runner: Runner) -> None:
        """A unit is stored as text and comes back as it was."""
        where = world(LEDGER.rows)
        columns = {column.name: column for column in where.reader.request.columns}
        units = list(runner.units(where.reader))
        assert [decode_unit(encode_unit(unit), columns) for unit in units] == units

    def test_units_keep_the_request(self, runner: Runner) -> None:
        """Each unit reads the export's relation and columns within its budget: runners narrow, they do not rewrite."""
        where = world(LEDGER.rows)
        asked = where.reader.request
        for unit in runner.units(where.reader):
            assert (unit.request.relation, unit.request.columns) == (asked.relation, asked.columns)
            assert unit.request.budget == asked.budget

    def test_planning_reads_no_rows(self, runner: Runner) -> None:
        """Making the units asks for facts; nothing is read before it is pulled."""
        where = world(LEDGER.rows)
        list(runner.units(where.reader))
        assert (where.database.reads, where.database.rows_read) == (0, 0)

    @needs("rolls")
    def test_a_stream_is_one_unit(self, runner: Runner) -> None:
        """A runner whose stream is sealed roll by roll has a single unit."""
        assert len(list(runner.units(world(LEDGER.rows).reader))) == 1

    # -- what they deliver ------------------------------------------------

    @examples
    @given(rows=ledger_rows(), workers=st.sampled_from([1, 4]))
    def test_units_deliver_each_row_once(
        self, runner: Runner, expected: Expected, rows: pa.Table, workers: int
    ) -> None:
        """Over any rows and any number of workers the units together deliver each row once: none too, with ties too."""
        where = world(rows, workers=workers)
        got = read_all(where, runner.units(where.reader))
        assert difference(got, row_texts(expected(rows))) == ""

    @examples
    @given(rows=ledger_rows(), data=st.data())
    def test_a_resume_after_any_mark_delivers_the_rest(
        self, runner: Runner, rows: pa.Table, data: st.DataObject
    ) -> None:
        """A unit that is read on after any of its marks delivers exactly what it had not delivered up to there."""
        where = world(rows)
        for unit in runner.units(where.reader):
            batches = list(read_unit(where.source, unit, ReadContext()))
            marked = [number for number, batch in enumerate(batches, 1) if batch.mark is not None]
            if not marked:
                continue
            number = data.draw(st.sampled_from(marked))
            mark = batches[number - 1].mark
            assert mark is not None
            rest = read_unit(where.source, unit, ReadContext(attempt=2), travelled(mark))
            assert (
                difference(delivered(rest, where.reader.request), delivered(batches[number:], where.reader.request))
                == ""
            )

    @needs("whole relation")
    def test_the_outer_ranges_are_open(self, runner: Runner) -> None:
        """Rows that appear beyond the extremes after planning are delivered as well: outer ranges are open-ended."""
        inner = LEDGER.rows.filter(_inside(LEDGER.rows))
        where = world(inner)
        units = list(runner.units(where.reader))
        where.database.insert("ledger", LEDGER.rows.filter(_outside(LEDGER.rows)))
        assert difference(read_all(where, units), row_texts(where.rows())) == ""

    @needs("positioned")
    def test_the_next_run_goes_on_behind_the_last(self, runner: Runner) -> None:
        """The next run, from the position of the last, delivers all rows that came since behind the old ones."""
        first = LEDGER.rows.filter(_inside(LEDGER.rows))
        where = world(first)
        position = _last_mark(where, runner.units(where.reader))
        assert position is not None, "a positioned runner's units end in marks"
        again = attrs.evolve(where.reader, position=travelled(position))
        before = set(read_all(where, runner.units(again)))
        new = first.slice(0, 2).set_column(0, "id", pa.array([HIGHEST - 2, HIGHEST - 1], pa.int64()))
        new = new.set_column(1, "tie", pa.array([9, 9], pa.int64()))
        where.database.insert("ledger", new)
        got = read_all(where, runner.units(again))
        assert difference(set(got) - before, row_texts(new)) == ""

    @needs("positioned")
    def test_a_run_without_news_ends_where_it_began(self, runner: Runner) -> None:
        """From its own position a run without new rows delivers none of those that lie before it."""
        where = world(LEDGER.rows)
        position = _last_mark(where, runner.units(where.reader))
        assert position is not None, "a positioned runner's units end in marks"
        again = attrs.evolve(where.reader, position=travelled(position))
        assert len(read_all(where, runner.units(again))) < LEDGER.rows.num_rows / 2


def _last_mark(where: World, units: Iterable[Unit]) -> Position | None:
    """Return the last mark of the highest ordinal that has one: a run's position."""
    marks = [
        batch.mark
        for unit in sorted(units, key=lambda unit: unit.ordinal)
        for batch in read_unit(where.source, unit, ReadContext())
        if batch.mark is not None
    ]
    return marks[-1] if marks else None


def _outside(rows: pa.Table) -> pa.Array:
    return pa.array([value in {LOWEST, HIGHEST} for value in rows.column("id").to_pylist()])


def _inside(rows: pa.Table) -> pa.Array:
    return pa.array([value not in {LOWEST, HIGHEST} for value in rows.column("id").to_pylist()])
