"""The log observer: levels, names and secrets."""

from __future__ import annotations

from structlog.testing import capture_logs

from rivet_core.events import PartRecorded, RetryScheduled, RowsRead
from rivet_core.observe.log import rivet_on_event
from rivet_core.types import Secret

_RUN = {"export": "orders", "run_id": "r1"}


def test_an_event_becomes_a_line_with_its_name_and_values() -> None:
    with capture_logs() as lines:
        rivet_on_event(PartRecorded(**_RUN, unit="full", key="p.parquet", rows=3, size=10))
    assert lines == [
        {
            "event": "part_recorded",
            "log_level": "info",
            **_RUN,
            "unit": "full",
            "key": "p.parquet",
            "rows": 3,
            "size": 10,
        }
    ]


def test_what_the_report_repeats_is_no_warning() -> None:
    with capture_logs() as lines:
        rivet_on_event(RetryScheduled(**_RUN, unit="full", attempt=1, wait_seconds=2.0, error="gone"))
        rivet_on_event(RowsRead(**_RUN, unit="full", rows=1, bytes=8))
    assert [line["log_level"] for line in lines] == ["info", "debug"]


def test_a_secret_in_an_event_is_masked() -> None:
    Secret("hunter2-and-more")
    with capture_logs() as lines:
        rivet_on_event(RetryScheduled(**_RUN, unit="full", attempt=1, wait_seconds=2.0, error="pw hunter2-and-more"))
    assert lines[0]["error"] == "pw ***"
