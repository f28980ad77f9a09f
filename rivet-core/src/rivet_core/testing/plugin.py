"""The pytest plugin of the kit: waivers, capabilities, no silent skips, one summary line a plugin.

Pytest loads it before coverage starts, so it imports nothing but pytest.
"""

from __future__ import annotations

from typing import Any

import pytest

pytest.register_assert_rewrite("rivet_core.testing.contracts")

#: How the reason of a skip begins that is allowed; a missing server is an error where it was promised.
CAPABILITY = "capability: "
MISSING_SERVER = "missing server: "


def pytest_configure(config: pytest.Config) -> None:
    """Announce the mark that the contracts use."""
    config.addinivalue_line("markers", "rivet_needs(*names): runs only where the plugin declares these capabilities")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Turn a waiver into a strict expected failure."""
    contract = _contract(item)
    reason = None if contract is None else contract.waived.get(_name(item))
    if reason is not None:
        item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what the plugin does not declare, before any fixture starts a server for it."""
    contract = _contract(item)
    if contract is None:
        return
    missing = contract.missing(tuple(name for mark in item.iter_markers("rivet_needs") for name in mark.args))
    if missing:
        pytest.skip(f"{CAPABILITY}{contract.seam} without {', '.join(missing)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Name the plugin in each report, and fail a contract test that did not run for a reason that is none."""
    report = yield
    contract = _contract(item)
    if contract is not None:
        report.rivet_contract = contract.label()
        if (report.skipped or hasattr(report, "wasxfail")) and (
            complaint := _complaint(report, waived=_name(item) in contract.waived)
        ):
            report.outcome = "failed"
            report.longrepr = complaint
            report.__dict__.pop("wasxfail", None)
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print one line a plugin."""
    lines: dict[str, dict[str, int]] = {}
    for outcome in ("passed", "xfailed", "skipped", "failed", "error"):
        for report in terminalreporter.stats.get(outcome, ()):
            if label := getattr(report, "rivet_contract", None):
                counts = lines.setdefault(label, {})
                kind = "missing" if outcome == "skipped" and MISSING_SERVER in _reason(report) else outcome
                counts[kind] = counts.get(kind, 0) + 1
    if lines:
        terminalreporter.section("contracts")
    for label, counts in sorted(lines.items()):
        words = f"{counts.get('passed', 0)} passed, {counts.get('xfailed', 0)} waived"
        words += f", {counts.get('skipped', 0)} skipped for capability"
        if missing := counts.get("missing"):
            words += f", {missing} NOT RUN (missing server)"
        if broken := counts.get("failed", 0) + counts.get("error", 0):
            words += f", {broken} FAILED"
        terminalreporter.write_line(f"{label}: {words}", red=bool(broken or missing), green=not (broken or missing))


def _contract(item: pytest.Item) -> Any:
    owner = getattr(item, "cls", None)
    return owner if hasattr(owner, "rivet_contract") else None


def _name(item: pytest.Item) -> str:
    return str(getattr(item, "originalname", None) or item.name)


def _reason(report: Any) -> str:
    return str(report.longrepr[2] if isinstance(report.longrepr, tuple | list) else report.longrepr)


def _complaint(report: Any, *, waived: bool) -> str | None:
    if hasattr(report, "wasxfail"):
        return None if waived else "an expected failure of a contract test belongs into `waived`, with its reason"
    reason = _reason(report).removeprefix("Skipped: ")
    if not reason.startswith((CAPABILITY, MISSING_SERVER)):
        return f"a contract test may be skipped for a capability only, and this one was for another reason: {reason}"
    if waived and reason.startswith(CAPABILITY):
        return f"the waiver of this test waives nothing, since the test is skipped anyway ({reason}): remove it"
    return None
