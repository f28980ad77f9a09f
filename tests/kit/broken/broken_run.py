"""Runs of each broken plugin only the tests that it is a witness for, and writes down how they ended.

A plugin for `-p`, not a conftest: that would act on the session that collects this folder, too.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import Phase, settings

verdicts: list[dict[str, str]] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if item.originalname in item.cls.witnesses]  # type: ignore[attr-defined]
    for item in items:
        function = item.function  # type: ignore[attr-defined]
        if chosen := getattr(function, "_hypothesis_internal_use_settings", None):
            # That a fault is found counts, not how small the example becomes, which takes most of the time.
            function._hypothesis_internal_use_settings = settings(chosen, phases=[Phase.generate])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    report = yield
    if report.when == "call" or not report.passed:
        verdicts.append(
            {
                "plugin": item.cls.__name__,  # type: ignore[attr-defined]
                "test": item.originalname,  # type: ignore[attr-defined]
                "when": report.when,
                "outcome": report.outcome,
                "error": "" if call.excinfo is None else f"{call.excinfo.typename}: {call.excinfo.value}",
            }
        )
    return report


def pytest_sessionfinish() -> None:
    Path(os.environ["KIT_VERDICTS"]).write_text(json.dumps(verdicts))
