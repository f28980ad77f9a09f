"""Finds the formats that read parts back: a manifest names its format, which need not be the export's of today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.errors import RivetError
from rivet_core.protocols import ReadableFormat

if TYPE_CHECKING:
    from rivet_core.engine.validation_parts import ReaderOf
    from rivet_core.plugins import Plugins
    from rivet_core.requests import Chosen


def readers_of(plugins: Plugins, chosen: Chosen | None = None) -> ReaderOf:
    """Return what finds a readable format by its kind, or None where none is installed.

    :param chosen: the export's own format, whose options are used for its kind; others get their defaults.
    """

    def reader_of(kind: str) -> ReadableFormat | None:
        try:
            declared = plugins.format_type(kind)
        except RivetError:
            return None
        if not declared.capabilities.readable:
            return None
        options = chosen.options if chosen is not None and chosen.kind == kind else declared.options()
        found = declared.factory(options)
        return found if isinstance(found, ReadableFormat) else None

    return reader_of
