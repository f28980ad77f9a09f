"""Declares the destination ``stdout``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.destinations.stdout.options import StdoutOptions
from rivet_core.hookspecs import DestinationType, hookimpl

if TYPE_CHECKING:
    from rivet_core.protocols import Destination


def make(options: StdoutOptions) -> Destination:
    """Return the destination."""
    from rivet_core.destinations.stdout.destination import StdoutDestination

    del options
    return StdoutDestination()


@hookimpl
def rivet_destinations() -> list[DestinationType]:
    return [
        DestinationType(
            kind="stdout",
            options=StdoutOptions,
            capabilities=DestinationCapabilities(durable=False, readable=False, conditional_create=False),
            factory=make,
            prefix=None,
        )
    ]
