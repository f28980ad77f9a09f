"""Remembers what became of every test of the session, over all workers, for the guard of the ledgers."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import attrs
import pytest

#: Files of sessions that ended long ago.
_OLD_SECONDS = 24 * 3600
_POLL_SECONDS = 0.2


@attrs.frozen
class Result:
    """What became of a test: ``passed``, ``failed``, ``skipped`` or ``xfailed``, and why."""

    outcome: str
    reason: str = ""


class Results:
    """One process's results, written as they come, and everybody's, read together."""

    def __init__(self, config: pytest.Config) -> None:
        worker = getattr(config, "workerinput", {})
        self._folder = Path(config.cache.mkdir("ledgers")) if getattr(config, "cache", None) is not None else None
        self._session = worker.get("testrunuid", f"alone-{os.getpid()}-{time.time_ns()}")
        self._name = f"{self._session}.{worker.get('workerid', 'alone')}.jsonl"
        self._unfinished: dict[str, Result] = {}
        #: Whether some collected tests were left out.
        self.deselected = False
        if not worker and self._folder is not None:
            for path in self._folder.glob("*.jsonl"):
                if path.stat().st_mtime < time.time() - _OLD_SECONDS:
                    path.unlink(missing_ok=True)

    def pytest_deselected(self) -> None:
        self.deselected = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        # The controller of several workers hears of the same tests, which the workers have written already.
        if hasattr(report, "node") or self._folder is None:
            return
        before = self._unfinished.pop(report.nodeid, Result("passed"))
        now = _result(report)
        self._unfinished[report.nodeid] = result = before if before.outcome != "passed" else now
        if report.when == "teardown":
            del self._unfinished[report.nodeid]
            with (self._folder / self._name).open("a", encoding="utf-8") as file:
                file.write(json.dumps([report.nodeid, result.outcome, result.reason]) + "\n")

    def read(self) -> dict[str, Result]:
        """Return the results of all workers so far."""
        found = {}
        for path in self._folder.glob(f"{self._session}.*.jsonl") if self._folder else ():
            # A line that another process is writing has no end yet.
            for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
                nodeid, outcome, reason = json.loads(line)
                found[nodeid] = Result(outcome, reason)
        return found

    def wait_for(self, nodeids: set[str], seconds: float) -> dict[str, Result]:
        """Return the results once those of all these tests are there, or when the time is over."""
        deadline = time.monotonic() + seconds
        while not nodeids <= (found := self.read()).keys() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return found


def _result(report: pytest.TestReport) -> Result:
    if hasattr(report, "wasxfail"):
        return Result("xfailed", report.wasxfail)
    if report.skipped:
        return Result("skipped", report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr))
    return Result("failed" if report.failed else "passed")


RESULTS = pytest.StashKey[Results]()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    results = Results(config)
    config.stash[RESULTS] = results
    config.pluginmanager.register(results, "ledger-results-of-session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The guard looks at what the others did, so it comes last.
    items.sort(key=lambda item: item.get_closest_marker("guard") is not None)
