"""What rivet asks this distribution for; no driver is imported before a source is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import Restart, SnapshotSupport, SourceCapabilities
from rivet_core.hookspecs import SourceType, hookimpl
from rivet_source_postgres.options import PostgresOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.errors import RivetError
    from rivet_core.protocols import Source


@hookimpl
def rivet_sources() -> tuple[SourceType, ...]:
    return (
        SourceType(
            kind="postgres",
            options=PostgresOptions,
            capabilities=SourceCapabilities(
                restart=Restart.MARK,
                folds_names=True,
                snapshot=SnapshotSupport.TRAVELS,
                estimates=True,
                relations=True,
                pressure=True,
            ),
            factory=make_source,
            schemes=("postgresql", "postgres"),
            check=check,
            check_query=check_query,
        ),
    )


def make_source(options: PostgresOptions) -> Source:
    """Make a closed source."""
    from rivet_source_postgres.source import PostgresSource

    return PostgresSource(options)


def check(options: PostgresOptions) -> Iterable[RivetError]:
    """Return what is wrong with the options, as far as no server needs to be asked."""
    from rivet_source_postgres.checks import faults

    return faults(options)


def check_query(query: str) -> None:
    """Refuse a text that is not one statement."""
    from rivet_source_postgres.statements import subquery_text

    subquery_text(query)
