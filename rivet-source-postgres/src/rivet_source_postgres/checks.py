"""What is wrong with a source's options that no server needs to be asked about; the driver is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import RivetError
from rivet_source_postgres.endpoint import resolve
from rivet_source_postgres.uri import build_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_source_postgres.options import PostgresOptions


def faults(options: PostgresOptions) -> Iterator[RivetError]:
    """Yield the errors that connecting would end with before it reaches a server."""
    try:
        endpoint = resolve(options)
    except RivetError as error:
        yield error
        if options.host is None:
            return
        # The password is what is missing, and the rest can be looked at without it.
        endpoint = resolve(attrs.evolve(options, password_env=None))
    try:
        build_uri(endpoint, options)
    except RivetError as error:
        yield error
