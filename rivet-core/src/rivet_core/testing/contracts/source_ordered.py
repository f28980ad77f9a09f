"""A source's ordered reads: order, marks, terms, limits, pages, bounds, borders.

No position is compared here: a walk through the ordered relation says which position lies behind which row, and each
term has to cut the rows exactly there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import attrs
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.engine.paging import read_unit
from rivet_core.protocols import Source
from rivet_core.requests import (
    HIDDEN_PREFIX,
    After,
    AtOrAfter,
    Between,
    Coalesce,
    ColumnKey,
    IsNull,
    Keys,
    Paging,
    ReadContext,
    ReadRequest,
    Since,
    Term,
    Unit,
    Until,
)
from rivet_core.testing.contract import needs
from rivet_core.testing.contracts.examples import examples
from rivet_core.testing.contracts.reading import (
    batches_of,
    delivered,
    in_small_batches,
    plain,
    rows_of_request,
    travelled,
    without_nulls,
)
from rivet_core.testing.contracts.source_fixtures import Courses, Fill, SourceFixtures
from rivet_core.testing.rows import difference
from rivet_core.testing.samples import CODES, EMPTY, LEDGER, PAIRS, Sample
from rivet_core.types import Position

ID: Keys = (ColumnKey("id"),)
TIE: Keys = (ColumnKey("tie"),)
GAP: Keys = (ColumnKey("gap"),)
TIE_ID: Keys = (ColumnKey("tie"), ColumnKey("id"))
GAP_ID: Keys = (ColumnKey("gap"), ColumnKey("id"))
FIRST_ID: Keys = (Coalesce(("gap", "tie")), ColumnKey("id"))
A_B: Keys = (ColumnKey("a"), ColumnKey("b"))
CODE: Keys = (ColumnKey("code"),)
#: Orders in which no two rows are equal.
UNIQUE: tuple[tuple[Sample, Keys], ...] = (
    (LEDGER, ID),
    (LEDGER, TIE_ID),
    (LEDGER, FIRST_ID),
    (PAIRS, A_B),
    (CODES, CODE),
)


class SourceOrder(SourceFixtures, sealed=True):
    """The part of the contract about reads in an order."""

    @needs("ordered")
    def test_an_ordered_read_is_in_order(self, source: Source, fill: Fill) -> None:
        """Rows arrive in ascending order of the first key, ties in the order of the second."""
        filled = fill(LEDGER)
        request = attrs.evolve(plain(source, filled.relation), order=TIE_ID, hidden=TIE_ID)
        rows = [row for batch in batches_of(source, request) for row in batch.data.select([0, 1]).to_pylist()]
        # An id that does not arrive as a number has an order that only its source knows.
        order = [(row["tie"], row["id"] if isinstance(row["id"], int) else 0) for row in rows]
        assert order == sorted(order)
        assert len(order) == filled.rows.num_rows

    @needs("ordered")
    def test_a_limit_takes_the_first_rows(self, source: Source, fill: Fill) -> None:
        """A limit delivers the first rows of the order, so many and no more."""
        request = attrs.evolve(plain(source, fill(LEDGER).relation), order=ID, hidden=ID)
        whole = rows_of_request(source, request)
        for limit in (1, 2, 7, len(whole) - 1, len(whole), len(whole) + 1):
            assert rows_of_request(source, attrs.evolve(request, limit=limit)) == whole[:limit]

    @needs("ordered")
    def test_every_batch_of_an_ordered_read_ends_in_a_mark(self, source: Source, fill: Fill) -> None:
        """Each batch with rows carries a mark, also the last, and also where the keys are not among the columns."""
        whole = plain(source, fill(LEDGER).relation)
        text = tuple(column for column in whole.columns if column.name == "text")
        for columns in (whole.columns, text):
            request = in_small_batches(attrs.evolve(whole, columns=columns, order=TIE_ID, hidden=TIE_ID))
            batches = [batch for batch in batches_of(source, request) if batch.data.num_rows]
            assert batches
            assert [batch for batch in batches if batch.mark is None] == []

    @needs("ordered")
    def test_a_mark_never_runs_ahead(self, source: Source, fill: Fill) -> None:
        """A mark says that all up to it was yielded: reading on after it delivers all of the rest, and no more."""
        for sample, keys in UNIQUE:
            request = in_small_batches(attrs.evolve(plain(source, fill(sample).relation), order=keys, hidden=keys), 4)
            batches = batches_of(source, request)
            assert len(batches) > 1, "a budget of four rows makes more than one batch"
            for number, batch in enumerate(batches, 1):
                assert batch.mark is not None
                rest = attrs.evolve(request, terms=(After(keys, travelled(batch.mark)),))
                assert rows_of_request(source, rest) == delivered(batches[number:], request)

    @needs("ordered")
    def test_hidden_keys_stand_behind_the_columns(self, source: Source, fill: Fill) -> None:
        """A batch has the request's columns first; what follows are keys, under names that belong to rivet."""
        whole = plain(source, fill(LEDGER).relation)
        text = tuple(column for column in whole.columns if column.name == "text")
        request = attrs.evolve(whole, columns=text, order=ID, hidden=ID)
        for batch in batches_of(source, request):
            first, *others = batch.data.schema.names
            assert first == "text"
            assert [name for name in others if not name.startswith(HIDDEN_PREFIX)] == []

    @needs("ordered")
    def test_positions_survive_the_state(self, source: Source, fill: Fill) -> None:
        """A position is equal to itself after JSON, and has one part a key, each of them text."""
        for sample, keys in UNIQUE:
            request = attrs.evolve(plain(source, fill(sample).relation), order=keys, hidden=keys)
            for batch in batches_of(source, in_small_batches(request, 4)):
                assert batch.mark is not None
                assert travelled(batch.mark) == batch.mark
                assert len(batch.mark.parts) == len(keys)
                assert all(isinstance(part.value, str) for part in batch.mark.parts)

    # -- terms ------------------------------------------------------------

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_after_cuts_behind_a_row(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """``After`` a row's position delivers the rows behind it alone: for one key, for several, for ``Coalesce``."""
        sample, keys = data.draw(st.sampled_from(UNIQUE))
        course = courses(sample, keys)
        number = data.draw(st.integers(0, len(course.rows) - 1))
        term = After(keys, course.positions[number])
        assert _read(source, course.request, term) == list(course.rows[number + 1 :])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_at_or_after_keeps_the_row(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """``AtOrAfter`` a row's position delivers that row and the rows behind it."""
        sample, keys = data.draw(st.sampled_from(UNIQUE))
        course = courses(sample, keys)
        number = data.draw(st.integers(0, len(course.rows) - 1))
        term = AtOrAfter(keys, course.positions[number])
        assert _read(source, course.request, term) == list(course.rows[number:])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_until_keeps_the_row(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """``Until`` a row's position delivers the rows up to it and the row itself."""
        sample, keys = data.draw(st.sampled_from(UNIQUE))
        course = courses(sample, keys)
        number = data.draw(st.integers(0, len(course.rows) - 1))
        term = Until(keys, course.positions[number])
        assert _read(source, course.request, term) == list(course.rows[: number + 1])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_ties_stay_together(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """At a key that rows share, ``After`` leaves all of them out, and ``AtOrAfter`` and ``Until`` keep them."""
        course = courses(LEDGER, TIE_ID)
        ties = course.of(0)
        number = data.draw(st.integers(0, len(ties) - 1))
        first, last = ties.index(ties[number]), len(ties) - tuple(reversed(ties)).index(ties[number])
        assert _read(source, course.request, After(TIE, ties[number])) == list(course.rows[last:])
        assert _read(source, course.request, AtOrAfter(TIE, ties[number])) == list(course.rows[first:])
        assert _read(source, course.request, Until(TIE, ties[number])) == list(course.rows[:last])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_between_is_half_open(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """``Between`` has its lower border in it and its upper one not; without a border an end is open."""
        course = courses(LEDGER, TIE_ID)
        ties = course.of(0)
        drawn = st.none() | st.integers(0, len(ties) - 1)
        low, high = data.draw(drawn), data.draw(drawn)
        start = 0 if low is None else ties.index(ties[low])
        stop = len(ties) if high is None else ties.index(ties[high])
        term = Between(TIE[0], None if low is None else ties[low], None if high is None else ties[high])
        assert _read(source, course.request, term) == list(course.rows[start:stop])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_ranges_and_the_rows_without_a_key_are_everything(
        self, source: Source, courses: Courses, data: st.DataObject
    ) -> None:
        """Ranges over any borders, open at the ends, and ``IsNull`` deliver each row once: a range holds no NULL."""
        course = courses(LEDGER, GAP_ID, without_nulls("gap"))
        request = attrs.evolve(course.request, terms=(), order=(), hidden=())
        chosen = data.draw(st.sets(st.integers(0, len(course.rows) - 1), max_size=4))
        gaps = course.of(0)
        borders = list(dict.fromkeys(gaps[number] for number in sorted(chosen)))
        ends: list[Position | None] = [None, *borders, None]
        terms: list[Term] = [Between(GAP[0], low, high) for low, high in pairwise(ends)]
        rows = [row for term in (*terms, IsNull(GAP[0])) for row in _read(source, request, term)]
        assert difference(rows, rows_of_request(source, request)) == ""

    @needs("ordered")
    def test_since_keeps_the_literal(self, source: Source, courses: Courses) -> None:
        """``Since`` a literal in the source's own language delivers the rows at it or behind it, and no NULL."""
        course = courses(LEDGER, TIE_ID)
        numbers = sorted(LEDGER.rows.column("tie").to_pylist())
        request = attrs.evolve(course.request, terms=(Since("tie", "2"),))
        assert rows_of_request(source, request) == list(course.rows[numbers.index(2) :])

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_all_terms_hold_together(self, source: Source, courses: Courses, data: st.DataObject) -> None:
        """Several terms deliver what every one of them allows, and ``count`` agrees."""
        course = courses(LEDGER, ID)
        lower, upper, start = (data.draw(st.integers(0, len(course.rows) - 1)) for _ in range(3))
        terms = (
            After(ID, course.positions[lower]),
            Until(ID, course.positions[upper]),
            Between(ID[0], course.positions[start], None),
        )
        expected = list(course.rows[max(lower + 1, start) : upper + 1])
        assert _read(source, course.request, *terms) == expected
        assert source.count(attrs.evolve(course.request, terms=terms), ReadContext()) == len(expected)

    # -- pages ------------------------------------------------------------

    @needs("ordered")
    @examples
    @given(data=st.data())
    def test_pages_of_any_size_deliver_each_row_once(
        self, source: Source, courses: Courses, data: st.DataObject
    ) -> None:
        """Turning pages of any size by unique keys delivers each row once, in order, and so does a resume."""
        sample, keys = data.draw(st.sampled_from(UNIQUE))
        course = courses(sample, keys)
        rows = data.draw(st.integers(1, len(course.rows) + 1))
        start = data.draw(st.integers(0, len(course.rows)))
        request = attrs.evolve(course.request, order=(), hidden=())
        unit = Unit(id="u", ordinal=0, request=request, paging=Paging(keys=keys, rows=rows))
        mark = course.positions[start - 1] if start else None
        assert delivered(read_unit(source, unit, ReadContext(), mark), request) == list(course.rows[start:])

    @needs("restart at marks")
    def test_a_broken_read_goes_on_after_any_mark(self, source: Source, fill: Fill) -> None:
        """A source that restarts at marks reads on after any of them, without pages, and delivers the rest.

        So it does in reads without an order, as far as it yields marks there; a source that has no order yields some.
        """
        relation = fill(LEDGER).relation
        for order in (ID, ()) if type(self).capabilities().ordered else ((),):
            request = in_small_batches(attrs.evolve(plain(source, relation), order=order, hidden=order), 4)
            unit = Unit(id="u", ordinal=0, request=request)
            batches = list(read_unit(source, unit, ReadContext()))
            marked = [(number, batch.mark) for number, batch in enumerate(batches, 1) if batch.mark is not None]
            assert marked or (not order and type(self).capabilities().ordered), "no batch ends in a mark"
            for number, mark in marked:
                rest = delivered(read_unit(source, unit, ReadContext(attempt=2), travelled(mark)), request)
                what = "an ordered read" if order else "a read without an order"
                assert difference(rest, delivered(batches[number:], request)) == "", f"{what} after the mark {mark}"
                assert rest == delivered(batches[number:], request)

    # -- facts ------------------------------------------------------------

    @needs("ordered")
    def test_bounds_are_the_extremes(self, source: Source, fill: Fill, courses: Courses) -> None:
        """``bounds`` are the column's least and greatest value; nothing lies outside, and the NULLs are counted."""
        filled = fill(LEDGER)
        bounds = source.bounds(filled.relation, "gap")
        assert bounds is not None
        low, high = travelled(bounds.low), travelled(bounds.high)
        course = courses(LEDGER, GAP_ID, without_nulls("gap"))
        assert (course.of(0)[0], course.of(0)[-1]) == (low, high)
        assert bounds.nulls == filled.rows.column("gap").null_count
        assert _read(source, course.request, After(GAP, high)) == []
        assert _read(source, course.request, AtOrAfter(GAP, low)) == list(course.rows)

    @needs("ordered")
    def test_a_column_without_values_has_no_bounds(self, source: Source, fill: Fill) -> None:
        """``bounds`` of a relation without rows are None."""
        assert source.bounds(fill(EMPTY).relation, "gap") is None

    @needs("ordered")
    def test_split_cuts_into_about_equal_shares(self, source: Source, courses: Courses) -> None:
        """``split`` gives inner borders, ascending, at most one fewer than shares, and the shares are about equal."""
        for sample, keys in ((LEDGER, ID), (PAIRS, A_B), (CODES, CODE)):
            course = courses(sample, keys)
            request = attrs.evolve(course.request, order=(), hidden=())
            for shares in (1, 2, 4):
                borders = source.split(request, keys, shares)
                assert len(borders) <= shares - 1
                sizes = [
                    len(rows)
                    for rows in _shares(source, course.request, keys, [travelled(border) for border in borders])
                ]
                assert sum(sizes) == len(course.rows)
                assert max(sizes) <= 2 * -(-len(course.rows) // shares), sizes

    @needs("ordered")
    def test_split_looks_at_the_requests_rows_only(self, source: Source, courses: Courses) -> None:
        """``split`` of a narrowed request cuts that request's rows; no rows have no borders."""
        course = courses(LEDGER, ID)
        half = len(course.rows) // 2
        narrowed = attrs.evolve(course.request, order=(), hidden=(), terms=(After(ID, course.positions[half]),))
        for border in source.split(narrowed, ID, 2):
            assert travelled(border) in course.positions[half + 1 :]
        empty = attrs.evolve(narrowed, terms=(After(ID, course.positions[-1]),))
        assert source.split(empty, ID, 4) == ()


def _read(source: Source, request: ReadRequest, *terms: Term) -> list[str]:
    return rows_of_request(source, attrs.evolve(request, terms=(*request.terms, *terms)))


def _shares(source: Source, request: ReadRequest, keys: Keys, borders: Sequence[Position]) -> list[list[str]]:
    lower: list[Term | None] = [None, *(After(keys, border) for border in borders)]
    upper: list[Term | None] = [*(Until(keys, border) for border in borders), None]
    pairs = zip(lower, upper, strict=True)
    return [_read(source, request, *(term for term in pair if term is not None)) for pair in pairs]
