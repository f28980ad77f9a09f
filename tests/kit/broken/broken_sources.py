"""Sources with one fault each; a class names the contract tests that have to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count
from typing import Any, ClassVar

import attrs
import pyarrow as pa
import pytest

from rivet_core.hookspecs import SourceType
from rivet_core.protocols import Batch
from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    ColumnKey,
    Keys,
    ReadContext,
    ReadRequest,
    Since,
    SourceRange,
    Term,
    Until,
)
from rivet_core.schema import Bounds, Key, RelationFacts, TableSchema
from rivet_core.testing import (
    Filled,
    ReferenceDatabase,
    ReferenceOptions,
    ReferenceSource,
    Sample,
    SourceContract,
    Typed,
    reference_type,
)
from rivet_core.testing.reference_source import ENDLESS, FROM, StoredTable
from rivet_core.types import Column, ColumnRules, Position, Query, Relation, Secret, Snapshot, SourceIdentity, Verdict

numbers = count()


def made_by(factory: Callable[[Any], object], **capabilities: object) -> SourceType:
    return attrs.evolve(reference_type(**capabilities), factory=factory)


class Broken(SourceContract):
    witnesses: ClassVar[tuple[str, ...]] = ()

    @pytest.fixture
    def database(self) -> ReferenceDatabase:
        return ReferenceDatabase("kit", password="correct horse")

    @pytest.fixture
    def options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database, password=Secret("correct horse"))

    @pytest.fixture
    def wrong_options(self, database: ReferenceDatabase) -> ReferenceOptions:
        return ReferenceOptions(database=database, password=Secret("battery staple"))

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        return ("correct horse", "battery staple")

    @pytest.fixture
    def fill(self, database: ReferenceDatabase) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            relation = database.create(sample.name, sample.rows, key=sample.key)
            return Filled(relation=relation, rows=sample.rows, key=sample.key)

        return fill

    @pytest.fixture
    def typed(self, database: ReferenceDatabase) -> Typed:
        rows = pa.table({"flag": [True, None], "list": pa.array([[1, None], []], pa.list_(pa.int32()))})
        return Typed(relation=database.create("typed", rows), expected=rows)

    @pytest.fixture
    def query(self) -> Callable[[Relation], Query]:
        return lambda relation: Query(f"{FROM}{relation}")

    @pytest.fixture
    def insert(self, database: ReferenceDatabase) -> Callable[[Relation, pa.Table], None]:
        def insert(relation: Relation, rows: pa.Table) -> None:
            assert "locked" not in database.snapshots, "the table is locked"
            database.insert(str(relation), rows)

        return insert

    @pytest.fixture
    def kill(self, database: ReferenceDatabase) -> Callable[[], None]:
        return database.kill

    @pytest.fixture
    def endless(self) -> Relation:
        return ENDLESS


# -- life ---------------------------------------------------------------------


class ChecksOnce(ReferenceSource):
    checked = False

    def check(self) -> None:
        assert not self.checked
        self.checked = True


class TestChecksOnce(Broken):
    declaration = made_by(ChecksOnce)
    witnesses = ("test_check_can_be_called_again",)


class ClosesOnce(ReferenceSource):
    closed = False

    def close(self) -> None:
        assert not self.closed
        self.closed = True


class TestClosesOnce(Broken):
    declaration = made_by(ClosesOnce)
    witnesses = ("test_close_can_be_called_again",)

    @pytest.fixture
    def source(self, options: ReferenceOptions) -> ReferenceSource:
        return ClosesOnce(options)


class TestClaimsChanges(Broken):
    declaration = made_by(ReferenceSource, changes=True)
    witnesses = ("test_it_has_the_methods_that_it_declares",)


class TestFactoryThatStaysHere(Broken):
    declaration = made_by(lambda options: ReferenceSource(options))  # noqa: PLW0108 - a lambda does not pickle
    witnesses = ("test_the_factory_travels_to_another_process",)
    error = "PicklingError"


class OwnIdentity(ReferenceSource):
    def identity(self) -> SourceIdentity:
        return attrs.evolve(super().identity(), server=f"connection {next(numbers)}")


class TestOwnIdentity(Broken):
    declaration = made_by(OwnIdentity)
    witnesses = ("test_two_sources_on_one_database_have_one_identity",)


class NaiveClock(ReferenceSource):
    def now(self) -> datetime:
        return super().now().replace(tzinfo=None)


class TestNaiveClock(Broken):
    declaration = made_by(NaiveClock)
    witnesses = ("test_the_clock_is_aware_and_in_utc",)


class DescribesAnything(ReferenceSource):
    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        with suppress(Exception):
            return super().describe(relation, rules)
        return TableSchema(columns=())


class TestDescribesAnything(Broken):
    declaration = made_by(DescribesAnything)
    witnesses = (
        "test_an_absent_table_is_named",
        "test_a_query_that_fails_says_so",
        "test_an_override_that_cannot_be_delivered_is_refused",
    )


class AlwaysRetries(ReferenceSource):
    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.RETRY


class TestAlwaysRetries(Broken):
    declaration = made_by(AlwaysRetries)
    witnesses = ("test_an_unknown_error_is_fatal", "test_wrong_credentials_are_a_matter_of_configuration")


class NeverRetries(ReferenceSource):
    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.FATAL


class TestNeverRetries(Broken):
    declaration = made_by(NeverRetries)
    witnesses = ("test_a_killed_connection_can_be_tried_again",)


class TellsThePassword(ReferenceSource):
    def check(self) -> None:
        try:
            super().check()
        except Exception as error:
            given = self.options.password
            msg = f"cannot log in with {given.reveal() if given else None}"
            raise ValueError(msg) from error


class TestTellsThePassword(Broken):
    declaration = made_by(TellsThePassword)
    witnesses = ("test_no_message_holds_a_secret",)


class LeavesItOpen(ReferenceSource):
    """Ends the read only when the rows are all taken."""

    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        block = super().read(request, context)
        batches = block.__enter__()
        self.taken = False
        yield self._watched(batches)
        if self.taken:
            block.__exit__(None, None, None)
        else:
            self.kept = block

    def _watched(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        yield from batches
        self.taken = True


class TestLeavesItOpen(Broken):
    declaration = made_by(LeavesItOpen)
    witnesses = ("test_leaving_a_read_early_frees_the_source",)
    error = "at most one read"


class SwallowsErrors(ReferenceSource):
    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        with suppress(ZeroDivisionError), super().read(request, context) as batches:
            yield batches


class TestSwallowsErrors(Broken):
    declaration = made_by(SwallowsErrors)
    witnesses = ("test_a_failing_consumer_frees_the_source",)


class LocksTheTable(ReferenceSource):
    @contextmanager
    def read(self, request: ReadRequest, context: ReadContext) -> Iterator[Iterator[Batch]]:
        self.database.snapshots["locked"] = {}
        with super().read(request, context) as batches:
            yield batches
        del self.database.snapshots["locked"]


class TestLocksTheTable(Broken):
    declaration = made_by(LocksTheTable)
    witnesses = ("test_an_open_read_blocks_no_writer",)


class EndsQuietly(ReferenceSource):
    def _stop_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise StopIteration

    def _wait(self) -> Iterator[Batch]:
        with suppress(RuntimeError, StopIteration):
            while True:
                self._stop_if_cancelled()
                yield from ()


class TestEndsQuietly(Broken):
    declaration = made_by(EndsQuietly)
    witnesses = ("test_cancel_ends_a_blocked_read",)


class RemembersTheCancel(ReferenceSource):
    cancelled_once = False

    def cancel(self) -> None:
        self.cancelled_once = True

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        assert not self.cancelled_once
        yield from super()._batches(request, context)


class TestRemembersTheCancel(Broken):
    declaration = made_by(RemembersTheCancel)
    witnesses = ("test_cancel_without_a_read_does_nothing",)


class HeadIsANumber(ReferenceSource):
    def head(self) -> int:
        return 7

    def acknowledge(self, position: Position) -> None:
        pass


class TestHeadIsANumber(Broken):
    declaration = made_by(HeadIsANumber, changes=True)
    witnesses = ("test_the_head_of_a_stream_is_a_position",)


# -- facts --------------------------------------------------------------------


class Described(ReferenceSource):
    """Changes what is said of each column."""

    def change(self, column: Column, stored: StoredTable) -> Column:
        return column

    def arrange(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        return columns

    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        found, stored = super().describe(relation, rules), self._stored(relation)
        columns = tuple(self.change(column, stored) for column in found.columns)
        return attrs.evolve(found, columns=self.arrange(columns))


class SortsColumns(Described):
    def arrange(self, columns: tuple[Column, ...]) -> tuple[Column, ...]:
        return tuple(sorted(columns, key=lambda column: column.name))


class TestSortsColumns(Broken):
    declaration = made_by(SortsColumns)
    witnesses = ("test_describe_names_the_columns_in_order",)


class StrictKeys(Described):
    def change(self, column: Column, stored: StoredTable) -> Column:
        return attrs.evolve(column, field=column.field.with_nullable(not column.not_null))


class TestStrictKeys(Broken):
    declaration = made_by(StrictKeys)
    witnesses = ("test_every_field_allows_null",)


class GuessesTypes(Described):
    def change(self, column: Column, stored: StoredTable) -> Column:
        if stored.rows.num_rows:
            return column
        return attrs.evolve(column, field=pa.field(column.name, pa.null()))


class TestGuessesTypes(Broken):
    declaration = made_by(GuessesTypes)
    witnesses = ("test_no_rows_have_the_types_of_many", "test_a_read_of_no_rows_delivers_none")

    @pytest.fixture
    def source(self, options: ReferenceOptions) -> ReferenceSource:
        return YieldsAnEmptyBatch(options)


class YieldsAnEmptyBatch(GuessesTypes):
    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        yield Batch(data=pa.record_batch({column.name: pa.array([], pa.int8()) for column in request.columns}))


class NamesNoType(Described):
    def change(self, column: Column, stored: StoredTable) -> Column:
        return attrs.evolve(column, native_type="")


class TestNamesNoType(Broken):
    declaration = made_by(NamesNoType)
    witnesses = ("test_every_native_type_is_named",)


class StripsQuotes(Described):
    def change(self, column: Column, stored: StoredTable) -> Column:
        name = column.name.replace('"', "")
        return attrs.evolve(column, name=name, field=column.field.with_name(name))


class TestStripsQuotes(Broken):
    declaration = made_by(StripsQuotes)
    witnesses = ("test_any_name_can_be_read",)


class KnowsNoEstimate(ReferenceSource):
    def describe(self, relation: Relation, rules: ColumnRules) -> TableSchema:
        return attrs.evolve(super().describe(relation, rules), estimated_rows=None)


class TestKnowsNoEstimate(Broken):
    declaration = made_by(KnowsNoEstimate)
    witnesses = ("test_a_filled_table_has_an_estimate",)


class ForgetsKeys(ReferenceSource):
    def relations(self) -> tuple[RelationFacts, ...]:
        return tuple(attrs.evolve(facts, primary_key=()) for facts in super().relations())


class TestForgetsKeys(Broken):
    declaration = made_by(ForgetsKeys)
    witnesses = ("test_every_table_is_listed_with_its_key",)


class TurnsKeysRound(ReferenceSource):
    def keys(self, relation: Relation) -> tuple[Key, ...]:
        return tuple(attrs.evolve(key, columns=key.columns[::-1]) for key in super().keys(relation))


class TestTurnsKeysRound(Broken):
    declaration = made_by(TurnsKeysRound)
    witnesses = ("test_the_primary_key_comes_first",)


class InventsKeys(ReferenceSource):
    def keys(self, relation: Relation) -> tuple[Key, ...]:
        first = self._stored(relation).rows.column_names[0]
        return (Key(columns=(first,), unique=True, not_null=True),)


class TestInventsKeys(Broken):
    declaration = made_by(InventsKeys)
    witnesses = ("test_a_table_without_a_key_has_none", "test_a_query_delivers_what_its_table_does")


class CountsNoNulls(ReferenceSource):
    def bounds(self, relation: Relation, column: str) -> Bounds | None:
        found = super().bounds(relation, column)
        return (
            Bounds(low=Position("int64", "0"), high=Position("int64", "0"), nulls=0)
            if found is None
            else attrs.evolve(found, nulls=0)
        )


class TestCountsNoNulls(Broken):
    declaration = made_by(CountsNoNulls)
    witnesses = ("test_bounds_are_the_extremes", "test_a_column_without_values_has_no_bounds")


class SplitsAtTheStart(ReferenceSource):
    def split(self, request: ReadRequest, keys: Keys, n: int) -> tuple[Position, ...]:
        return super().split(attrs.evolve(request, terms=()), keys, 20)[: n - 1]


class TestSplitsAtTheStart(Broken):
    declaration = made_by(SplitsAtTheStart)
    witnesses = ("test_split_cuts_into_about_equal_shares", "test_split_looks_at_the_requests_rows_only")


# -- reads --------------------------------------------------------------------


class Reread(ReferenceSource):
    """Changes the stored rows, the request, or the batches on their way."""

    def stored(self, rows: pa.Table) -> pa.Table:
        return rows

    def asked(self, request: ReadRequest) -> ReadRequest:
        return attrs.evolve(request, terms=tuple(t for term in request.terms for t in self.term(term)))

    def term(self, term: Term) -> tuple[Term, ...]:
        return (term,)

    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        return batches

    def _stored(self, relation: Relation | None, snapshot: Snapshot | None = None) -> StoredTable:
        found = super()._stored(relation, snapshot)
        return attrs.evolve(found, rows=self.stored(found.rows))

    def _batches(self, request: ReadRequest, context: ReadContext) -> Iterator[Batch]:
        return self.delivered(super()._batches(self.asked(request), context), request)


class DropsNulls(Reread):
    def stored(self, rows: pa.Table) -> pa.Table:
        return rows.drop_null()


class TestDropsNulls(Broken):
    declaration = made_by(DropsNulls)
    witnesses = ("test_a_read_delivers_each_row_once", "test_every_type_arrives_as_described")


class MergesTwins(Reread):
    def stored(self, rows: pa.Table) -> pa.Table:
        return rows.group_by(rows.column_names).aggregate([])


class TestMergesTwins(Broken):
    declaration = made_by(MergesTwins)
    witnesses = ("test_equal_rows_all_arrive",)


class WidensText(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for batch in batches:
            names = batch.data.schema.names
            columns = [c.cast(pa.large_string()) if c.type == pa.string() else c for c in batch.data.columns]
            yield attrs.evolve(batch, data=pa.record_batch(columns, names=names))


class TestWidensText(Broken):
    declaration = made_by(WidensText)
    witnesses = ("test_every_batch_has_the_requests_schema",)


class KeepsTheTablesOrder(Reread):
    def asked(self, request: ReadRequest) -> ReadRequest:
        names = self._stored(request.relation).rows.column_names
        return attrs.evolve(
            request, columns=tuple(sorted(request.columns, key=lambda column: names.index(column.name)))
        )


class TestKeepsTheTablesOrder(Broken):
    declaration = made_by(KeepsTheTablesOrder)
    witnesses = ("test_columns_can_be_chosen",)


class FetchesAll(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        found = list(batches)
        whole = pa.Table.from_batches([batch.data for batch in found]).combine_chunks()
        for data in whole.to_batches():
            yield Batch(data=data, mark=found[-1].mark)


class TestFetchesAll(Broken):
    declaration = made_by(FetchesAll)
    witnesses = ("test_batches_keep_near_the_budget",)


class BeginsAnewWithoutAnOrder(Reread):
    """Marks its reads without an order, too, and reads everything again after such a mark."""

    def term(self, term: Term) -> tuple[Term, ...]:
        return () if isinstance(term, After) and not term.keys else (term,)

    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for number, batch in enumerate(batches):
            yield batch if request.order else attrs.evolve(batch, mark=Position("int64", str(number)))


class TestBeginsAnewWithoutAnOrder(Broken):
    declaration = made_by(BeginsAnewWithoutAnOrder)
    witnesses = ("test_a_broken_read_goes_on_after_any_mark",)


class AsksInItsRead(Reread):
    """Has one connection only, so a question for pressure ends the read that is open on it."""

    interrupted = False

    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for batch in batches:
            yield batch
            if self.interrupted:
                return

    def pressure(self) -> int | None:
        self.interrupted = True
        return super().pressure()


class TestAsksInItsRead(Broken):
    declaration = made_by(AsksInItsRead)
    witnesses = ("test_a_question_for_pressure_leaves_an_open_read_as_it_is",)


class ReusesItsBuffer(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        shared = bytearray(8 * 100)
        for batch in batches:
            ids = batch.data.column(0)
            shared[: 8 * len(ids)] = b"".join(v.to_bytes(8, "little", signed=True) for v in ids.to_pylist())
            column = pa.Array.from_buffers(pa.int64(), len(ids), [None, pa.py_buffer(shared)])
            yield attrs.evolve(batch, data=batch.data.set_column(0, batch.data.schema.field(0), column))


class TestReusesItsBuffer(Broken):
    declaration = made_by(ReusesItsBuffer)
    witnesses = ("test_a_delivered_batch_stays_as_it_is",)


class Estimates(ReferenceSource):
    def count(self, request: ReadRequest, context: ReadContext) -> int:
        return self._stored(request.relation).rows.num_rows + 1


class TestEstimates(Broken):
    declaration = made_by(Estimates)
    witnesses = ("test_count_agrees_with_the_read", "test_all_terms_hold_together")


class IgnoresRanges(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        return () if isinstance(term, SourceRange) else (term,)


class TestIgnoresRanges(Broken):
    declaration = made_by(IgnoresRanges)
    witnesses = ("test_an_unknown_range_is_refused",)


# -- order --------------------------------------------------------------------


class IgnoresOrder(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for batch in batches:
            rows = pa.Table.from_batches([batch.data])
            yield attrs.evolve(batch, data=rows.take(list(range(rows.num_rows))[::-1]).combine_chunks().to_batches()[0])


class TestIgnoresOrder(Broken):
    declaration = made_by(IgnoresOrder)
    witnesses = ("test_an_ordered_read_is_in_order",)


class OneTooMany(Reread):
    def asked(self, request: ReadRequest) -> ReadRequest:
        return attrs.evolve(request, limit=None if request.limit is None else request.limit + 1)


class TestOneTooMany(Broken):
    declaration = made_by(OneTooMany)
    witnesses = ("test_a_limit_takes_the_first_rows",)


class MarksTheEnd(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        found = list(batches)
        for number, batch in enumerate(found):
            yield batch if number == len(found) - 1 else attrs.evolve(batch, mark=None)


class TestMarksTheEnd(Broken):
    declaration = made_by(MarksTheEnd)
    witnesses = ("test_every_batch_of_an_ordered_read_ends_in_a_mark",)


class MarksBeforeItYields(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        found = list(batches)
        for batch, following in zip(found, [*found[1:], *found[-1:]], strict=True):
            yield attrs.evolve(batch, mark=following.mark)


class TestMarksBeforeItYields(Broken):
    declaration = made_by(MarksBeforeItYields)
    witnesses = ("test_a_mark_never_runs_ahead", "test_a_broken_read_goes_on_after_any_mark")


class ShowsItsKeys(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for batch in batches:
            names = [name.removeprefix("_rivet_key_") for name in batch.data.schema.names]
            yield attrs.evolve(batch, data=batch.data.rename_columns(names))


class TestShowsItsKeys(Broken):
    declaration = made_by(ShowsItsKeys)
    witnesses = ("test_hidden_keys_stand_behind_the_columns",)


class MarksWithNumbers(Reread):
    def delivered(self, batches: Iterator[Batch], request: ReadRequest) -> Iterator[Batch]:
        for batch in batches:
            yield attrs.evolve(batch, mark=Position("int", 7))  # type: ignore[arg-type]  # the fault


class TestMarksWithNumbers(Broken):
    declaration = made_by(MarksWithNumbers)
    witnesses = ("test_positions_survive_the_state",)


class StartsAtTheRow(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        return (AtOrAfter(term.keys, term.position),) if isinstance(term, After) else (term,)


class TestStartsAtTheRow(Broken):
    declaration = made_by(StartsAtTheRow)
    witnesses = (
        "test_after_cuts_behind_a_row",
        "test_pages_of_any_size_deliver_each_row_once",
        "test_ties_stay_together",
    )
    error = "AssertionError|UsageError"


class LosesTies(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        return (After(term.keys, term.position),) if isinstance(term, AtOrAfter) else (term,)


class TestLosesTies(Broken):
    declaration = made_by(LosesTies)
    witnesses = ("test_at_or_after_keeps_the_row", "test_ties_stay_together")


class HasNoEnd(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        return () if isinstance(term, Until) else (term,)


class TestHasNoEnd(Broken):
    declaration = made_by(HasNoEnd)
    witnesses = ("test_until_keeps_the_row", "test_all_terms_hold_together")


class ClosedRanges(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        if isinstance(term, Between) and term.high is not None:
            return (attrs.evolve(term, high=None), Until((term.key,), term.high))
        return (term,)


class TestClosedRanges(Broken):
    declaration = made_by(ClosedRanges)
    witnesses = ("test_between_is_half_open", "test_ranges_and_the_rows_without_a_key_are_everything")


class OpenRangesHoldNulls(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        return () if isinstance(term, Between) and term.low is None and term.high is None else (term,)


class TestOpenRangesHoldNulls(Broken):
    declaration = made_by(OpenRangesHoldNulls)
    witnesses = ("test_ranges_and_the_rows_without_a_key_are_everything",)


class SinceIsAfter(Reread):
    def term(self, term: Term) -> tuple[Term, ...]:
        if isinstance(term, Since):
            return (After((ColumnKey(term.column),), Position("int64", term.literal)),)
        return (term,)


class TestSinceIsAfter(Broken):
    declaration = made_by(SinceIsAfter)
    witnesses = ("test_since_keeps_the_literal",)


# -- snapshots ----------------------------------------------------------------


class ReadsTheLatest(ReferenceSource):
    def _stored(self, relation: Relation | None, snapshot: Snapshot | None = None) -> StoredTable:
        return super()._stored(relation)


class TestReadsTheLatest(Broken):
    declaration = made_by(ReadsTheLatest)
    witnesses = ("test_readers_of_one_snapshot_see_one_state", "test_a_snapshot_ends_with_its_block")
