"""A missing server is never quiet: an error in CI, elsewhere a skip that is counted and printed at the end."""

from __future__ import annotations

import os
from collections import Counter
from typing import NoReturn

import pytest

PREFIX = "missing server: "


def missing(engine: str, remedy: str) -> NoReturn:
    """Ends a fixture whose server is not there."""
    reason = f"{PREFIX}{engine}: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())]
    counts = Counter(text.partition(PREFIX)[2] for text in reasons if PREFIX in text)
    for what, number in sorted(counts.items()):
        terminalreporter.write_line(f"NOT RUN: {number} tests, {PREFIX}{what}", red=True, bold=True)
