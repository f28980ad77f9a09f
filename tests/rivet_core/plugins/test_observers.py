from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import structlog.testing

from rivet_core.events import Event, UnitDone
from rivet_core.hookspecs import hookimpl
from rivet_core.plugins import Plugins

if TYPE_CHECKING:
    from collections.abc import Callable

    Install = Callable[..., str]

EVENT = UnitDone(export="orders", run_id="r1", unit="u1")
NOTES = """
seen = []

@hookimpl
def rivet_on_event(event):
    seen.append(event)
"""


class Recorder:
    def __init__(self) -> None:
        self.seen: list[Event] = []

    @hookimpl
    def rivet_on_event(self, event: Event) -> None:
        self.seen.append(event)


class Thrower:
    @hookimpl
    def rivet_on_event(self, event: Event) -> None:
        msg = "disk at postgresql://u:hunter2@host is full"
        raise OSError(msg)


def test_an_observer_of_the_metadata_hears_events_once_it_is_loaded(install: Install) -> None:
    module = install("rivet-lineage", ("observer.lineage",), NOTES)
    plugins = Plugins.installed({"RIVET_PLUGINS": "rivet-lineage"})
    assert plugins.load_observers() == ()
    plugins.notify(EVENT)
    assert sys.modules[module].seen == [EVENT]


def test_each_observer_hears_an_event_once(install: Install) -> None:
    module = install("rivet-lineage", ("observer.lineage", "observer.again"), NOTES)
    plugins = Plugins.installed({"RIVET_PLUGINS": "rivet-lineage"})
    recorder = Recorder()
    plugins.register(recorder)
    plugins.load_observers()
    plugins.notify(EVENT)
    assert recorder.seen == [EVENT]
    assert sys.modules[module].seen == [EVENT]


def test_what_an_observer_raises_is_logged_and_keeps_nothing_from_the_others() -> None:
    plugins = Plugins()
    recorder = Recorder()
    plugins.register(Thrower(), name="thrower")
    plugins.register(recorder)
    with structlog.testing.capture_logs() as logs:
        plugins.notify(EVENT)
    assert recorder.seen == [EVENT]
    assert [(log["event"], log["origin"], log["event_kind"]) for log in logs] == [
        ("observer_failed", "thrower", "UnitDone")
    ]
    assert "hunter2" not in str(logs)


def test_a_broken_observer_is_logged_and_stops_nothing(install: Install) -> None:
    install("rivet-lineage", ("observer.lineage",), "raise RuntimeError('no net')")
    plugins = Plugins.installed({"RIVET_PLUGINS": "rivet-lineage"})
    with structlog.testing.capture_logs() as logs:
        errors = plugins.load_observers()
    assert [error.code for error in errors] == ["RIVET_PLUGIN_BROKEN"]
    assert [log["event"] for log in logs] == ["observer_unusable"]
    plugins.notify(EVENT)


def test_an_observer_entry_without_the_hook_is_broken(install: Install) -> None:
    install("rivet-lineage", ("observer.lineage",), "x = 1\n")
    errors = Plugins.installed({"RIVET_PLUGINS": "rivet-lineage"}).load_observers()
    assert "implements no rivet_on_event" in errors[0].message
