"""Imports a driver at its top and the engine besides, and declares more than its metadata announces."""

from __future__ import annotations

import duckdb

from loud_plugin.options import LoudOptions, QuietOptions
from rivet_core.capabilities import DestinationCapabilities, FormatCapabilities, SourceCapabilities
from rivet_core.hookspecs import DestinationType, FormatType, SourceType, hookimpl


def make(options: object) -> object:
    from rivet_core import engine

    return duckdb, engine, options


@hookimpl
def rivet_sources() -> list[SourceType]:
    return [
        SourceType(kind=kind, options=LoudOptions, capabilities=SourceCapabilities(), factory=make, api=99)  # type: ignore[arg-type]
        for kind in ("loud", "unannounced")
    ]


@hookimpl
def rivet_formats() -> list[FormatType]:
    can = FormatCapabilities()
    return [FormatType(kind="loud", options=QuietOptions, capabilities=can, factory=make, flat=("volume",))]  # type: ignore[arg-type]


@hookimpl
def rivet_destinations() -> list[DestinationType]:
    can = DestinationCapabilities()
    return [DestinationType(kind="loud", options=QuietOptions, capabilities=can, factory=make, prefix="folder")]  # type: ignore[arg-type]
