"""One unit with the plain request: no order, no marks, read again from its start after a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.requests import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.protocols import Reader


class FullRunner:
    """Cuts nothing."""

    def units(self, reader: Reader) -> Iterable[Unit]:
        return (Unit(id="full", ordinal=0, request=reader.request),)
