"""No skip is quiet: what is missing here is an error in CI, elsewhere a skip that is counted and printed at the end.

Servers, and programs and rights that a test cannot do without. A skip for another reason is a failure.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, NoReturn

import pytest

PREFIX = "missing server: "
#: How other reasons begin that are as good: the plugin under test does not declare what the test is about, or the test
#: judges a run of the whole suite.
OTHERWISE = ("capability: ", "a part of the suite: ")


def missing(engine: str, remedy: str) -> NoReturn:
    """Ends a fixture, or a test, that cannot do without what is not there."""
    reason = f"{PREFIX}{engine}: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Any:
    return unless_quiet((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Any:
    return unless_quiet((yield))


def unless_quiet(report: Any) -> Any:
    """Makes a failure of a skip that nobody would miss; an expected failure is another matter."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith((PREFIX, *OTHERWISE)):
            report.outcome = "failed"
            report.longrepr = f"skip by missing_servers.missing what cannot run here, and nothing because: {reason}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())]
    counts = Counter(text.partition(PREFIX)[2] for text in reasons if PREFIX in text)
    for what, number in sorted(counts.items()):
        terminalreporter.write_line(f"NOT RUN: {number} tests, {PREFIX}{what}", red=True, bold=True)
