"""Runners with one fault each; a class names the contract tests that have to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count, pairwise
from typing import Any, ClassVar

import attrs
import pytest

from rivet_core.capabilities import RollPolicy, RunnerCapabilities
from rivet_core.hookspecs import RunnerType
from rivet_core.protocols import Reader
from rivet_core.requests import After, Between, Budget, ColumnKey, Keys, Paging, ReadContext, Unit, Until
from rivet_core.testing import ReferenceReader, RunnerContract
from rivet_core.types import Position

ID: Keys = (ColumnKey("id"),)
numbers = count()


@attrs.frozen(kw_only=True)
class NoOptions:
    """Nothing to configure."""


class Ranges:
    """A sound runner: open-ended ranges of the key, each read page by page."""

    shares = 3
    keys: Keys = ID

    def __init__(self, options: NoOptions) -> None:
        del options

    def borders(self, reader: Reader) -> list[Position | None]:
        return [None, *reader.split(self.keys, self.shares), None]

    def units(self, reader: Reader) -> Iterable[Unit]:
        borders = self.borders(reader)
        pairs = pairwise(borders)
        return [self.unit(reader, number, low, high) for number, (low, high) in enumerate(pairs)]

    def unit(self, reader: Reader, number: int, low: Position | None, high: Position | None) -> Unit:
        term = Between(self.keys[0], low, high)
        request = attrs.evolve(reader.request, terms=(*reader.request.terms, term))
        return Unit(id=f"u{number}", ordinal=number, request=request, paging=Paging(keys=self.keys, rows=4))


class Tail:
    """A sound incremental runner: everything behind the position, in order."""

    def __init__(self, options: NoOptions) -> None:
        del options

    def units(self, reader: Reader) -> Iterable[Unit]:
        terms = () if reader.position is None else (After(ID, reader.position),)
        request = attrs.evolve(reader.request, terms=terms, order=ID, hidden=ID)
        return [Unit(id="tail", ordinal=0, request=request)]


def made_by(factory: Callable[[Any], object], **capabilities: object) -> RunnerType:
    can = attrs.evolve(RunnerCapabilities(), **capabilities)
    return RunnerType(kind="kit", mode="kit", options=NoOptions, capabilities=can, factory=factory)  # type: ignore[arg-type]


class Broken(RunnerContract):
    witnesses: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def options(self) -> NoOptions:
        return NoOptions()


class TestNoFault(Broken):
    """With nothing wrong, every test passes: what the witnesses show is their faults."""

    declaration = made_by(Ranges)
    witnesses = tuple(RunnerContract.catalogue())
    sound = True


class TestNoFaultInTheTail(Broken):
    declaration = made_by(Tail, positioned=True, whole_relation=False)
    witnesses = tuple(RunnerContract.catalogue())
    sound = True


class Changed(Ranges):
    def change(self, unit: Unit) -> Unit:
        return unit

    def units(self, reader: Reader) -> Iterable[Unit]:
        return [self.change(unit) for unit in super().units(reader)]


class CountsFromOne(Changed):
    def change(self, unit: Unit) -> Unit:
        return attrs.evolve(unit, ordinal=unit.ordinal + 1)


class TestCountsFromOne(Broken):
    declaration = made_by(CountsFromOne)
    witnesses = ("test_ordinals_ascend_from_zero",)


class NamesByRange(Changed):
    def change(self, unit: Unit) -> Unit:
        return attrs.evolve(unit, id="id >= 1")


class TestNamesByRange(Broken):
    declaration = made_by(NamesByRange)
    witnesses = ("test_ids_are_unique_and_fit_into_names",)


class NamesByChance(Changed):
    def change(self, unit: Unit) -> Unit:
        return attrs.evolve(unit, id=f"u{next(numbers)}")


class TestNamesByChance(Broken):
    declaration = made_by(NamesByChance)
    witnesses = ("test_equal_facts_give_equal_units",)


class Closure:
    """A relation that only this process understands."""

    name = "ledger"

    def __reduce__(self) -> str:
        msg = "cannot pickle"
        raise TypeError(msg)


class KeepsAHandle(Changed):
    def change(self, unit: Unit) -> Unit:
        return attrs.evolve(unit, request=attrs.evolve(unit.request, relation=Closure()))


class TestKeepsAHandle(Broken):
    declaration = made_by(KeepsAHandle)
    witnesses = ("test_units_travel", "test_units_keep_the_request")
    error = "AssertionError|TypeError"


class OwnUnit(Unit):
    """A subclass with something of its own, which the state cannot keep."""


class SubclassesUnits(Changed):
    def change(self, unit: Unit) -> Unit:
        return OwnUnit(id=unit.id, ordinal=unit.ordinal, request=unit.request, paging=unit.paging)


class TestSubclassesUnits(Broken):
    declaration = made_by(SubclassesUnits)
    witnesses = ("test_units_survive_the_state",)


class Forgetful(Changed):
    def change(self, unit: Unit) -> Unit:
        return attrs.evolve(unit, request=attrs.evolve(unit.request, budget=Budget()))


class TestForgetful(Broken):
    declaration = made_by(Forgetful)
    witnesses = ("test_units_keep_the_request",)


class LooksAtRows(Ranges):
    def borders(self, reader: Reader) -> list[Position | None]:
        assert isinstance(reader, ReferenceReader)
        with reader.source.read(reader.request, ReadContext()) as batches:
            list(batches)
        return super().borders(reader)


class TestLooksAtRows(Broken):
    declaration = made_by(LooksAtRows)
    witnesses = ("test_planning_reads_no_rows",)


class TestRollsRanges(Broken):
    declaration = made_by(Ranges, rolls=RollPolicy())
    witnesses = ("test_a_stream_is_one_unit",)


class ClosedRanges(Ranges):
    """Both borders belong to a range, so a border row comes twice."""

    def unit(self, reader: Reader, number: int, low: Position | None, high: Position | None) -> Unit:
        unit = super().unit(reader, number, low, None)
        if high is None:
            return unit
        terms = (*unit.request.terms, Until(self.keys, high))
        return attrs.evolve(unit, request=attrs.evolve(unit.request, terms=terms))


class TestClosedRanges(Broken):
    declaration = made_by(ClosedRanges)
    witnesses = ("test_units_deliver_each_row_once",)


class PagesByTies(Ranges):
    """Pages by a key that rows share: a page border inside a tie loses the rest of the tie."""

    shares = 1

    def units(self, reader: Reader) -> Iterable[Unit]:
        paging = Paging(keys=(ColumnKey("tie"),), rows=4)
        return [Unit(id="all", ordinal=0, request=reader.request, paging=paging)]


class TestPagesByTies(Broken):
    declaration = made_by(PagesByTies)
    witnesses = ("test_units_deliver_each_row_once", "test_a_resume_after_any_mark_delivers_the_rest")
    error = "AssertionError|UsageError"


class ClosedEnds(Ranges):
    """The outer ranges end at the extremes of the time of planning."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        bounds = reader.bounds("id")
        if bounds is None:
            return []
        terms = (Between(ID[0], bounds.low, None), Until(ID, bounds.high))
        return [Unit(id="all", ordinal=0, request=attrs.evolve(reader.request, terms=terms))]


class TestClosedEnds(Broken):
    declaration = made_by(ClosedEnds)
    witnesses = ("test_the_outer_ranges_are_open",)


class ForgetsThePosition(Tail):
    def units(self, reader: Reader) -> Iterable[Unit]:
        assert isinstance(reader, ReferenceReader)
        return super().units(attrs.evolve(reader, position=None))


class TestForgetsThePosition(Broken):
    declaration = made_by(ForgetsThePosition, positioned=True, whole_relation=False)
    witnesses = ("test_a_run_without_news_ends_where_it_began",)


class StopsAtThePosition(Tail):
    """From a position on it reads nothing at all."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        units = list(super().units(reader))
        return units if reader.position is None else []


class TestStopsAtThePosition(Broken):
    declaration = made_by(StopsAtThePosition, positioned=True, whole_relation=False)
    witnesses = ("test_the_next_run_goes_on_behind_the_last",)
