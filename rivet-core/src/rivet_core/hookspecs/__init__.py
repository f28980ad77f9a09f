"""The hooks that a plugin implements, and the declarations that it returns from them."""

from __future__ import annotations

from rivet_core.hookspecs.declarations import (
    API_VERSION,
    DatasetSpec,
    DestinationType,
    FormatType,
    RunnerType,
    SourceType,
)
from rivet_core.hookspecs.markers import PROJECT, hookimpl, hookspec

__all__ = [
    "API_VERSION",
    "PROJECT",
    "DatasetSpec",
    "DestinationType",
    "FormatType",
    "RunnerType",
    "SourceType",
    "hookimpl",
    "hookspec",
]
