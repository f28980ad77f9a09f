from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pytest

from rivet_core.config import load
from rivet_core.engine.declarations import Declarations
from rivet_core.engine.exports import Ended, ExportJob, run_exports
from rivet_core.engine.settings import Settings
from rivet_core.events import Event, RunClosed, RunOpened
from rivet_core.plugins import Plugins
from rivet_core.state import StateDatabase

NAMES = ("first", "second", "third", "fourth")
EXPORT = """\
  - name: {name}
    table: numbers
    mode: full
    format: parquet
    destination: {{type: local, path: out/{name}}}
"""


@pytest.fixture
def jobs(tmp_path: Path) -> tuple[ExportJob, ...]:
    """Four exports of one table."""
    with closing(sqlite3.connect(tmp_path / "numbers.db")) as connection, connection:
        connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)")
        connection.execute("INSERT INTO numbers VALUES (1), (2)")
    text = "source: {type: sqlite, path: numbers.db}\nexports:\n" + "".join(EXPORT.format(name=name) for name in NAMES)
    (tmp_path / "rivet.yaml").write_text(text)
    plugins = Plugins.installed({"RIVET_PLUGINS": ""})
    configuration = load(tmp_path / "rivet.yaml", plugins, params={}, environ={})
    return tuple(
        ExportJob(
            intent=intent,
            declarations=Declarations(
                source=plugins.source_type("sqlite"),
                runners=plugins.runner_types("full"),
                format=plugins.format_type("parquet"),
                destination=plugins.destination_type("local"),
            ),
        )
        for intent in configuration.exports
    )


@pytest.fixture
def database(tmp_path: Path) -> Iterator[StateDatabase]:
    with StateDatabase(tmp_path / "state.sqlite") as database:
        yield database


class Source:
    """A source of which nothing but its first question is ever asked."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.identity = answer

    def cancel(self) -> None:
        pass

    def close(self) -> None:
        pass


def with_source(job: ExportJob, answer: Callable[[], Any]) -> ExportJob:
    """The job on a source that does this when it is first asked."""
    source = attrs.evolve(job.declarations.source, factory=lambda options: Source(answer))
    return attrs.evolve(job, declarations=attrs.evolve(job.declarations, source=source))


def statuses(ended: Ended) -> dict[str, str]:
    return {outcome.export: outcome.status for outcome in ended.outcomes}


def test_exports_run_one_after_the_other_in_their_order(jobs: tuple[ExportJob, ...], database: StateDatabase) -> None:
    seen: list[tuple[str, str]] = []

    def observe(event: Event) -> None:
        if isinstance(event, RunOpened | RunClosed):
            seen.append((type(event).__name__, event.export))

    run_exports(jobs, database, Settings(observe=observe))
    assert seen == [(kind, name) for name in NAMES for kind in ("RunOpened", "RunClosed")]


def test_outcomes_are_in_the_order_of_the_jobs_whoever_ends_first(
    jobs: tuple[ExportJob, ...], database: StateDatabase
) -> None:
    def late() -> None:
        time.sleep(0.5)
        raise OSError

    slow = (with_source(jobs[0], late), *jobs[1:])
    ended = run_exports(slow, database, Settings(), at_a_time=4)
    assert [outcome.export for outcome in ended.outcomes] == list(NAMES)


def test_so_many_run_at_one_time_and_no_more(jobs: tuple[ExportJob, ...], database: StateDatabase) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def count() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.2)
        with lock:
            now[0] -= 1
        raise OSError

    run_exports([with_source(job, count) for job in jobs], database, Settings(), at_a_time=2)
    assert most == [2]


def test_a_plugin_that_ends_the_process_takes_no_other_export_with_it(
    jobs: tuple[ExportJob, ...], database: StateDatabase
) -> None:
    def leave() -> None:
        raise SystemExit(0)

    ended = run_exports((with_source(jobs[0], leave), *jobs[1:]), database, Settings())
    assert statuses(ended) == dict.fromkeys(NAMES, "success") | {"first": "refused"}
    assert ended.outcomes[0].error is not None
    assert ended.outcomes[0].error.code == "RIVET_INTERNAL_ERROR"


def test_what_has_not_begun_when_the_end_is_asked_for_never_begins(
    jobs: tuple[ExportJob, ...], database: StateDatabase
) -> None:
    settings = Settings()

    def observe(event: Event) -> None:
        if isinstance(event, RunClosed):
            settings.stop.set()

    ended = run_exports(jobs, database, attrs.evolve(settings, observe=observe))
    assert statuses(ended) == dict.fromkeys(NAMES, "refused") | {"first": "success"}
    assert {outcome.error.code for outcome in ended.outcomes if outcome.error} == {"RIVET_RUN_STOPPED"}


def test_an_export_that_hangs_is_left_behind_after_the_grace(
    jobs: tuple[ExportJob, ...], database: StateDatabase
) -> None:
    settings, release = Settings(), threading.Event()

    def hang() -> None:
        settings.stop.set()
        release.wait(30)
        raise OSError

    ended = run_exports((with_source(jobs[0], hang),), database, settings, grace_seconds=0.3)
    release.set()
    assert ended.alive
    assert statuses(ended) == {"first": "refused"}


def test_what_was_read_is_counted_for_each_export(jobs: tuple[ExportJob, ...], database: StateDatabase) -> None:
    assert all(size > 0 for size in run_exports(jobs, database, Settings()).bytes_read)
