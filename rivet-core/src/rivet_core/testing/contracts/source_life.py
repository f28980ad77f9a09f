"""A source's life: opening, closing, identity, clock, errors, secrets."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from rivet_core.capabilities import SnapshotSupport
from rivet_core.errors import RivetError
from rivet_core.protocols import CatalogueSource, ChangeSource, PressureSource, SnapshotSource, Source
from rivet_core.requests import ReadContext
from rivet_core.testing.contract import needs, unmet
from rivet_core.testing.contracts.reading import batches_of, in_small_batches, plain, rows_of_request
from rivet_core.testing.contracts.source_fixtures import Background, Fill, OpenSource, SourceFixtures, in_time
from rivet_core.testing.rows import difference, row_texts
from rivet_core.testing.samples import LEDGER, TWINS
from rivet_core.types import ColumnRules, Position, Relation, Table, Verdict


class SourceLife(SourceFixtures, sealed=True):
    """The part of the contract that needs no rows, or looks beside them."""

    def test_check_can_be_called_again(self, source: Source) -> None:
        """``check`` connects and does nothing, and a second call does no harm."""
        source.check()
        source.check()

    def test_close_can_be_called_again(self, source: Source) -> None:
        """``close`` is safe to call again, and also before anything was opened."""
        source.close()
        source.check()
        source.close()
        source.close()

    def test_it_has_the_methods_that_it_declares(self, source: Source) -> None:
        """A declared capability comes with its methods, those of the protocol that it stands for."""
        can = type(self).capabilities()
        claims = {
            Source: True,
            CatalogueSource: can.relations,
            SnapshotSource: can.snapshot is not SnapshotSupport.NONE,
            ChangeSource: can.changes,
            PressureSource: can.pressure,
        }
        assert unmet(source, claims) == []

    def test_the_factory_travels_to_another_process(self, options: Any) -> None:
        """The factory pickles together with its options, and what arrives makes a source."""
        factory, arrived = pickle.loads(pickle.dumps((type(self).declaration.factory, options)))  # noqa: S301 - our own
        made = factory(arrived)
        assert isinstance(made, Source)
        made.close()

    def test_two_sources_on_one_database_have_one_identity(self, source: Source, open_source: OpenSource) -> None:
        """The identity is the server's and the database's, not the connection's, and names the source's kind."""
        first, second = source.identity(), open_source().identity()
        assert first == second
        assert first.engine == type(self).declaration.kind
        assert first.server
        assert first.database

    def test_the_clock_is_aware_and_in_utc(self, source: Source) -> None:
        """``now`` is the source's own clock, aware, in UTC, and does not run backwards."""
        first, second = source.now(), source.now()
        assert first.utcoffset() == timedelta(0)
        assert first <= second

    def test_an_absent_table_is_named(self, source: Source) -> None:
        """Describing a table that is not there raises ``RIVET_SOURCE_TABLE_NOT_FOUND`` and names the table."""
        with pytest.raises(RivetError) as caught:
            source.describe(Table("no such table"), ColumnRules())
        assert caught.value.code == "RIVET_SOURCE_TABLE_NOT_FOUND"
        assert "no such table" in str(caught.value)

    def test_an_unknown_error_is_fatal(self, source: Source) -> None:
        """The verdict on an error that the source does not know is ``FATAL``: trying again is no remedy for a bug."""
        assert source.verdict(LookupError("a bug of somebody's")) is Verdict.FATAL

    def test_wrong_credentials_are_a_matter_of_configuration(
        self,
        wrong_options: Any,
    ) -> None:
        """Making a source connects to nothing; with a wrong password ``check`` raises and the verdict is ``CONFIG``."""
        made: Source = type(self).declaration.factory(wrong_options)
        try:
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the verdict is what is asserted
                made.check()
            assert made.verdict(caught.value) is Verdict.CONFIG
            assert isinstance(caught.value, RivetError)
            assert caught.value.code == "RIVET_SOURCE_CREDENTIALS_INVALID"
        finally:
            made.close()

    def test_no_message_holds_a_secret(
        self,
        source: Source,
        wrong_options: Any,
        secrets: tuple[str, ...],
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """No secret is in an error's message or cause, in a log record, in a repr or in the identity."""
        assert secrets, "an author who gives `wrong_options` gives the fixture `secrets` as well"
        caplog.set_level(logging.DEBUG)
        made: Source = type(self).declaration.factory(wrong_options)
        said = [repr(wrong_options), repr(source), repr(source.identity())]
        for call in (made.check, lambda: source.describe(Table("no such table"), ColumnRules())):
            error: BaseException | None = None
            try:
                call()
            except Exception as raised:  # noqa: BLE001 - its text is what is looked at
                error = raised
            while error is not None:
                said += [str(error), repr(error)]
                error = error.__cause__ or error.__context__
        made.close()
        said += [record.getMessage() for record in caplog.records]
        assert [secret for secret in secrets if any(secret in text for text in said)] == []

    @needs("rereading")
    def test_leaving_a_read_early_frees_the_source(self, source: Source, fill: Fill) -> None:
        """Leaving the block early ends the statement: the next read works, and the table can be replaced."""
        filled = fill(LEDGER)
        request = plain(source, filled.relation)
        with source.read(in_small_batches(request, 1), ReadContext()) as batches:
            next(batches)
        in_time(lambda: fill(LEDGER), "a read that was left early keeps its hold on the table")
        assert difference(rows_of_request(source, request), row_texts(filled.rows)) == ""

    @needs("rereading")
    def test_a_failing_consumer_frees_the_source(self, source: Source, fill: Fill) -> None:
        """An error inside the block comes out as it is, and the next read works."""
        filled = fill(LEDGER)
        request = plain(source, filled.relation)

        def fail() -> None:
            with source.read(in_small_batches(request, 1), ReadContext()) as batches:
                next(batches)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert difference(rows_of_request(source, request), row_texts(filled.rows)) == ""

    def test_an_open_read_blocks_no_writer(
        self, source: Source, fill: Fill, insert: Callable[[Relation, Any], None]
    ) -> None:
        """While a read is open somebody else can write to the table, and the write is committed."""
        filled = fill(TWINS)
        with source.read(in_small_batches(plain(source, filled.relation), 1), ReadContext()) as batches:
            next(batches)
            in_time(lambda: insert(filled.relation, TWINS.rows), "an open read blocks a writer")

    def test_cancel_ends_a_blocked_read(self, source: Source, endless: Relation) -> None:
        """``cancel`` from another thread ends a blocked read, soon and with an error, and the source still works."""
        request = plain(source, endless)
        reading = Background(lambda: batches_of(source, request))
        assert not reading.ended(0.5), f"the relation {endless} is not endless: {reading.error!r}"
        source.cancel()
        assert reading.ended(), "a cancelled read goes on"
        assert reading.error is not None, "a cancelled read ended as if it were complete"
        source.check()

    def test_cancel_without_a_read_does_nothing(self, source: Source, fill: Fill) -> None:
        """``cancel`` while no read is open does nothing, also to the next read."""
        filled = fill(LEDGER)
        request = plain(source, filled.relation)
        source.cancel()
        assert difference(rows_of_request(source, request), row_texts(filled.rows)) == ""

    def test_a_killed_connection_can_be_tried_again(
        self, source: Source, open_source: OpenSource, fill: Fill, kill: Callable[[], None]
    ) -> None:
        """When the connection dies the error's verdict is ``RETRY`` or ``RECONNECT``, and doing so helps."""
        filled = fill(LEDGER)
        request = plain(source, filled.relation)
        kill()
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the verdict is what is asserted
            rows_of_request(source, request)
        verdict = source.verdict(caught.value)
        assert verdict in {Verdict.RETRY, Verdict.RECONNECT}
        again = source if verdict is Verdict.RETRY else open_source()
        assert difference(rows_of_request(again, request), row_texts(filled.rows)) == ""

    @needs("changes")
    def test_the_head_of_a_stream_is_a_position(self, source: Source) -> None:
        """A source of changes tells the end of its stream as a position that survives the state."""
        assert isinstance(source, ChangeSource)
        head = source.head()
        assert isinstance(head, Position)
        assert Position.from_json(head.to_json()) == head
