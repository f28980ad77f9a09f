"""The declarations that one export uses, and how its closed things are made from them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType
    from rivet_core.protocols import Destination, Format, Source
    from rivet_core.requests import Intent


@attrs.frozen(kw_only=True)
class Declarations:
    """What the plugins offer for one export.

    :param runners: every runner of the export's mode.
    """

    source: SourceType
    runners: tuple[RunnerType, ...]
    format: FormatType
    destination: DestinationType

    def open_source(self, intent: Intent) -> Source:
        """Return a new source; the caller closes it."""
        return self.source.factory(intent.source.options)

    def format_factory(self, intent: Intent) -> Callable[[], Format]:
        """Return what makes the format, in this process or in another."""
        return partial(self.format.factory, intent.format.options)

    def open_destination(self, intent: Intent, prefix: str) -> Destination:
        """Return a new destination at a prefix; the caller closes it.

        :param prefix: takes the place of the prefix template in the options.
        """
        options = intent.destination.options
        if self.destination.prefix is not None:
            template = getattr(options, self.destination.prefix)
            value = Path(prefix) if isinstance(template, Path) else prefix
            options = attrs.evolve(options, **{self.destination.prefix: value})  # type: ignore[misc] # any attrs class
        return self.destination.factory(options)
