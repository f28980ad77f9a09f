"""Declares the format ``parquet``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import FormatCapabilities
from rivet_core.formats.parquet.options import ParquetOptions
from rivet_core.hookspecs import FormatType, hookimpl

if TYPE_CHECKING:
    from rivet_core.protocols import Format


def make(options: ParquetOptions) -> Format:
    """Return the configured format."""
    from rivet_core.formats.parquet.format import ParquetFormat

    return ParquetFormat(options)


@hookimpl
def rivet_formats() -> list[FormatType]:
    return [
        FormatType(
            kind="parquet",
            options=ParquetOptions,
            capabilities=FormatCapabilities(readable=True, typed=True, nested=True, streams=True),
            factory=make,
            flat=("compression", "compression_level", "compression_profile", "parquet"),
        )
    ]
