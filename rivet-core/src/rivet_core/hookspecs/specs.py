"""The hook specifications.

A plugin module implements any of them::

    from rivet_core.hookspecs import hookimpl

    @hookimpl
    def rivet_sources():
        return [SourceType(kind="duckdb", …)]

and names itself in its metadata, once per kind::

    [project.entry-points.rivet]
    "source.duckdb" = "my_package.plugin"

The module is imported when a configuration names the kind, so it must import no driver at its top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.hookspecs.markers import hookspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.events import Event
    from rivet_core.hookspecs.declarations import DestinationType, FormatType, RunnerType, SourceType

# -- declarations, asked when a kind is first needed --------------------------


@hookspec
def rivet_sources() -> Iterable[SourceType]:
    """Return the kinds of source that this plugin offers."""
    raise NotImplementedError


@hookspec
def rivet_runners() -> Iterable[RunnerType]:
    """Return the kinds of runner that this plugin offers."""
    raise NotImplementedError


@hookspec
def rivet_formats() -> Iterable[FormatType]:
    """Return the kinds of format that this plugin offers."""
    raise NotImplementedError


@hookspec
def rivet_destinations() -> Iterable[DestinationType]:
    """Return the kinds of destination that this plugin offers."""
    raise NotImplementedError


# -- observation, while anything runs -----------------------------------------


@hookspec
def rivet_on_event(event: Event) -> None:
    """Look at something that happened; an observer cannot veto, and its errors are logged, not raised.

    :param event: a frozen value of :mod:`rivet_core.events`. Called from any thread.
    """
