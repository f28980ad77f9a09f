"""Whole runs whose store is away for a while: a request to stop ends every wait for it at once, and loses nothing."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import attrs
import pytest
from crash_deaths import wrapped
from crash_world import World, check_delivery
from ledger_worlds import COLUMNS, fresh

from rivet_core.engine.exports import ExportJob, run_exports
from rivet_core.engine.settings import Settings
from rivet_core.errors import Exit
from rivet_core.state import StateDatabase
from rivet_core.types import Verdict

SLOW = {"retry_backoff_ms": 60_000}


class Away:
    """A store that answers no call of one method, and asks for the end soon after the first.

    :param after: so many calls still work.
    """

    def __init__(self, method: str, stop: threading.Event, *, after: int = 0) -> None:
        self.method, self.stop, self.left = method, stop, after
        self.asked_at = 0.0
        self.calls = 0

    def around(self, kind: Any) -> Any:
        return wrapped(kind, lambda real: Store(real, self))

    def fail(self) -> None:
        self.calls += 1
        if not self.asked_at:
            self.asked_at = time.monotonic() + 0.3
            threading.Timer(0.3, self.stop.set).start()
        msg = "the store is away"
        raise ConnectionRefusedError(msg)


class Store:
    def __init__(self, real: Any, away: Away) -> None:
        self._real, self._away = real, away

    def __getattr__(self, name: str) -> Any:
        if name != self._away.method:
            return getattr(self._real, name)
        if self._away.left:
            self._away.left -= 1
            return getattr(self._real, name)
        return lambda *args, **options: self._away.fail()

    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.RETRY if isinstance(error, ConnectionError) else Verdict.FATAL


def stopped(world: World, folder: Path, away: Away) -> Any:
    """Run beside the store until the end, and return how the export ended; it must not take long from the request."""
    declarations = attrs.evolve(world.declarations(), destination=away.around(world.destination))
    job = ExportJob(intent=world.intent(folder, **SLOW), declarations=declarations)
    settings = Settings(stop=away.stop, lock_wait_seconds=0, make_producer=world.make_producer)
    with StateDatabase(folder / "state.sqlite") as database:
        ended = run_exports((job,), database, settings, grace_seconds=30)
    assert not ended.alive
    assert time.monotonic() - away.asked_at < 3
    assert away.calls <= world.workers
    return ended.outcomes[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", COLUMNS)
def test_a_put_is_not_waited_for(name: str, tmp_path: Path) -> None:
    world = fresh(name, tmp_path)
    outcome = stopped(world, tmp_path, Away("put", threading.Event()))
    assert (outcome.status, outcome.exit, outcome.error.code) == ("open", Exit.TRANSIENT, "RIVET_RUN_STOPPED")
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "after"), [("put_bytes", 0), ("put_bytes", 1), ("put_bytes", 2), ("stat", 0)])
def test_sealing_is_not_waited_for_and_is_completed_by_the_next_run(method: str, after: int, tmp_path: Path) -> None:
    world = fresh("seek", tmp_path)
    outcome = stopped(world, tmp_path, Away(method, threading.Event(), after=after))
    assert (outcome.status, outcome.error.code) == ("open", "RIVET_RUN_STOPPED")
    assert not (tmp_path / "out" / "_SUCCESS").exists()
    again = world.run(tmp_path)
    assert again.error is None
    assert again.resumed or again.completed == (outcome.run_id,)
    check_delivery(world, tmp_path)


def test_a_look_at_the_prefix_is_not_waited_for(tmp_path: Path) -> None:
    world = fresh("seek", tmp_path)
    outcome = stopped(world, tmp_path, Away("get", threading.Event()))
    assert (outcome.status, outcome.error.code) == ("refused", "RIVET_RUN_STOPPED")


def test_a_put_of_one_unit_is_not_waited_for_when_another_unit_ends_the_run(tmp_path: Path) -> None:
    world = fresh("ranges", tmp_path)

    class Broken(Away):
        """The first put waits, and every later one fails for good."""

        def fail(self) -> None:
            self.calls += 1
            if self.calls == 1:
                raise ConnectionRefusedError
            self.asked_at = self.asked_at or time.monotonic()
            raise PermissionError

    away = Broken("put", threading.Event())
    outcome = world.run(tmp_path, wrap=away.around, changes={**SLOW, "workers": 2})
    assert time.monotonic() - away.asked_at < 3
    assert outcome.error is not None
    assert outcome.error.code == "RIVET_DEST_IO_FAILED"
    assert world.run(tmp_path).error is None
    check_delivery(world, tmp_path)
