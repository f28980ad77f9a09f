"""Declares the format ``csv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.capabilities import FormatCapabilities
from rivet_core.formats.csv.options import CsvOptions
from rivet_core.hookspecs import FormatType, hookimpl

if TYPE_CHECKING:
    from rivet_core.protocols import Format


def make(options: CsvOptions) -> Format:
    """Return the configured format."""
    from rivet_core.formats.csv.format import CsvFormat

    return CsvFormat(options)


@hookimpl
def rivet_formats() -> list[FormatType]:
    return [
        FormatType(
            kind="csv",
            options=CsvOptions,
            # A header tells names, not types.
            capabilities=FormatCapabilities(readable=True, typed=False, nested=False, streams=True),
            factory=make,
            flat=("compression", "compression_profile"),
        )
    ]
