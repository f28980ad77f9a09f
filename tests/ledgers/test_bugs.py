"""Bugs of sources end as what they are; what a driver, a library or the system raises does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from crash_world import check_delivery
from ledger_worlds import DiskFailed, Wrapped, fresh, misbehaving

from rivet_core.errors import Exit
from rivet_core.events import RetryScheduled
from rivet_core.protocols import Batch
from rivet_core.requests import ReadContext, ReadRequest

BUGS = (AssertionError, AttributeError, IndexError, KeyError, NameError, NotImplementedError, TypeError, ValueError)
NO_BUGS = (ConnectionResetError, MemoryError, EOFError, RuntimeError, Exception, DiskFailed, pa.ArrowKeyError)


class Raising(Wrapped):
    """Its reads fail behind their first batch, after some that worked."""

    error: type[BaseException]
    working = 0

    def read(self, request: ReadRequest, context: ReadContext) -> AbstractContextManager[Any]:
        type(self).working -= 1
        if type(self).working >= 0:
            return self._real.read(request, context)
        return self._reading(self._real.read(request, context))

    @contextmanager
    def _reading(self, read: AbstractContextManager[Iterator[Batch]]) -> Iterator[Iterator[Batch]]:
        with read as batches:
            yield self._some(batches)

    def _some(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        yield next(batches)
        msg = "said by the source"
        raise type(self).error(msg)


class Foreign(Raising):
    """It fails in the code of a plugin that an entry point leads to."""

    def _some(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        yield next(batches)
        code = compile(ast.parse("def fails():\n    raise TypeError('said by the source')"), "foreign.py", "exec")
        room = {"__name__": "rivet_source_postgres.nowhere"}
        exec(code, room)
        room["fails"]()  # type: ignore[operator]


def kind_of(base: type, error: type[BaseException] = TypeError, working: int = 0) -> type:
    return type(base.__name__, (base,), {"error": error, "working": working})


@pytest.mark.parametrize("error", BUGS)
def test_a_bug_ends_as_one_without_another_attempt_and_the_run_can_be_resumed(
    error: type[BaseException], tmp_path: Path
) -> None:
    world = fresh("ranges", tmp_path)
    kind = kind_of(Raising, error, working=4)
    seen: list[Any] = []
    outcome = misbehaving(world, kind).run(tmp_path, changes={"workers": 1}, observe=seen.append)
    assert outcome.error is not None
    assert (outcome.status, outcome.error.code, outcome.exit) == ("open", "RIVET_INTERNAL_ERROR", Exit.INTERNAL)
    assert f"{error.__name__}: " in outcome.error.message
    assert "said by the source" in outcome.error.message
    assert not [event for event in seen if isinstance(event, RetryScheduled)]
    assert world.run(tmp_path).resumed
    check_delivery(world, tmp_path)


@pytest.mark.parametrize("error", NO_BUGS)
def test_what_drivers_libraries_and_the_system_raise_is_no_bug(error: type[BaseException], tmp_path: Path) -> None:
    outcome = misbehaving(fresh("ranges", tmp_path), kind_of(Raising, error)).run(tmp_path)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.exit) == ("RIVET_RUN_UNITS_FAILED", Exit.USAGE)


def test_the_distribution_whose_bug_it_is_is_named(tmp_path: Path) -> None:
    outcome = misbehaving(fresh("full", tmp_path), kind_of(Foreign)).run(tmp_path)
    assert outcome.error is not None
    assert outcome.error.message.endswith("(in rivet-source-postgres)")
    assert "rivet-source-postgres" in (outcome.error.remedy or "")
