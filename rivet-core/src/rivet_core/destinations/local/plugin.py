"""Declares the destination ``local``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.destinations.local.options import LocalOptions
from rivet_core.hookspecs import DestinationType, hookimpl

if TYPE_CHECKING:
    from rivet_core.protocols import Destination


def make(options: LocalOptions) -> Destination:
    """Return the configured destination; it touches nothing yet."""
    from rivet_core.destinations.local.destination import LocalDestination

    return LocalDestination(options)


@hookimpl
def rivet_destinations() -> list[DestinationType]:
    return [
        DestinationType(
            kind="local",
            options=LocalOptions,
            capabilities=DestinationCapabilities(removable=True),
            factory=make,
            prefix="path",
        )
    ]
