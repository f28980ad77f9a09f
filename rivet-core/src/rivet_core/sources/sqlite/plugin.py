"""Declares the source ``sqlite``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import Restart, SourceCapabilities
from rivet_core.hookspecs import SourceType, hookimpl
from rivet_core.sources.sqlite.options import SqliteOptions
from rivet_core.types import Query

if TYPE_CHECKING:
    from rivet_core.protocols import Source


def open_later(options: SqliteOptions) -> Source:
    """Return the closed source."""
    from rivet_core.sources.sqlite.source import SqliteSource

    return SqliteSource(options)


def check_query(query: str) -> None:
    """Refuse a text that is not one SELECT, as the file would: a view's tables are looked for when it is read."""
    from rivet_core.sources.sqlite.connection import refuse_query

    refuse_query(Query(query))


@hookimpl
def rivet_sources() -> list[SourceType]:
    return [
        SourceType(
            kind="sqlite",
            options=SqliteOptions,
            capabilities=SourceCapabilities(restart=Restart.MARK, relations=True),
            factory=open_later,
            schemes=("sqlite",),
            check_query=check_query,
        )
    ]
