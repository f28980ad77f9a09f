"""What rivet asks this distribution for; no driver is imported before a source is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import Restart, SnapshotSupport, SourceCapabilities
from rivet_core.hookspecs import SourceType, hookimpl
from rivet_source_postgres.options import PostgresOptions

if TYPE_CHECKING:
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
        ),
    )


def make_source(options: PostgresOptions) -> Source:
    """Make a closed source."""
    from rivet_source_postgres.source import PostgresSource

    return PostgresSource(options)
