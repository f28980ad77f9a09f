from __future__ import annotations

import pytest

from rivet_core.cli.progress import EVERY_SECONDS, Lines
from rivet_core.cli.run_ids import day_of, export_of
from rivet_core.events import RetryScheduled, RowsRead, RunClosed, RunOpened, UnitFailed

IDS = {"export": "orders", "run_id": "r1"}
OPENED = RunOpened(**IDS, runner="full", source="sqlite:x", units=2, resumed=False, estimated_rows=1000)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def written() -> list[str]:
    return []


def test_an_opened_run_is_told_with_its_estimate(written: list[str], clock: Clock) -> None:
    Lines(written.append, clock)(OPENED)
    assert written == ["orders: run r1 opened: full, 2 units, about 1,000 rows"]


def test_rows_are_told_every_few_seconds_only(written: list[str], clock: Clock) -> None:
    lines = Lines(written.append, clock)
    lines(OPENED)
    for second in range(1, 12):
        clock.now = float(second)
        lines(RowsRead(**IDS, unit="u", rows=50, bytes=1024))
    assert EVERY_SECONDS == 5.0
    assert written[1:] == [
        "orders: 250 rows (25 %), 50 rows/s, 5.0 KiB read",
        "orders: 500 rows (50 %), 50 rows/s, 10.0 KiB read",
    ]


def test_a_retry_a_failure_and_the_end_are_told(written: list[str], clock: Clock) -> None:
    lines = Lines(written.append, clock)
    lines(RetryScheduled(**IDS, unit="u", attempt=1, wait_seconds=2.0, error="reset"))
    lines(UnitFailed(**IDS, unit="u", error="gone"))
    lines(RunClosed(**IDS, status="open", rows=3, parts=1, size=10, seconds=1.5))
    assert written == [
        "orders: unit u, attempt 1 failed, the next in 2.0 s: reset",
        "orders: unit u failed",
        "orders: open after 1.5 s, 3 rows",
    ]


@pytest.mark.parametrize(
    ("run_id", "export", "day"),
    [
        ("orders_20240501T120000.123_0123456789abcdef", "orders", "2024-05-01"),
        ("my_orders_20240501T120000.123_0123456789abcdef", "my_orders", "2024-05-01"),
        ("orders_20249999T120000.123_0123456789abcdef", "orders", None),
        ("orders", None, None),
    ],
)
def test_a_run_id_tells_its_export_and_its_day(run_id: str, export: str | None, day: str | None) -> None:
    found = day_of(run_id)
    assert (export_of(run_id), None if found is None else f"{found:%Y-%m-%d}") == (export, day)
