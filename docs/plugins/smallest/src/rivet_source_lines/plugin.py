"""Declares the source ``lines``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rivet_core.capabilities import Restart, SourceCapabilities
from rivet_core.hookspecs import SourceType, hookimpl

if TYPE_CHECKING:
    from rivet_core.protocols import Source


@attrs.frozen(kw_only=True)
class LinesOptions:
    """Where the files are.

    :param folder: each text file in it is a table.
    """

    folder: Path


def open_later(options: LinesOptions) -> Source:
    """Return the closed source."""
    from rivet_source_lines.source import LinesSource

    return LinesSource(options.folder)


@hookimpl
def rivet_sources() -> list[SourceType]:
    capabilities = SourceCapabilities(restart=Restart.MARK, ordered=False, queries=False)
    return [SourceType(kind="lines", options=LinesOptions, capabilities=capabilities, factory=open_later)]
