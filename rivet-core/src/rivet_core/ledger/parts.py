"""Step 5's look at the destination: every recorded part must be there as it was put."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rivet_core.errors import Place, RefusalError
from rivet_core.ledger.attempts import attempted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.ledger.access import LedgerAccess
    from rivet_core.state.rows import PartRow
    from rivet_core.types import ObjectInfo


def check_recorded(access: LedgerAccess, parts: Iterable[PartRow]) -> None:
    """Compare each recorded part with a fresh look at its object.

    :raises RefusalError: ``RIVET_DEST_COMMITTED_PART_GONE`` for the first that is gone or different.
    """
    if not access.capabilities.readable:
        return
    for part in parts:
        found = attempted(access, part.key, partial(access.destination.stat, part.key))
        difference = "is gone" if found is None else _difference(part, found)
        if difference:
            msg = f"the recorded part {part.key} {difference}"
            raise RefusalError(
                msg,
                code="RIVET_DEST_COMMITTED_PART_GONE",
                place=Place(value=access.destination.uri() + part.key),
                remedy="restore the object and run again, or start anew with --fresh",
            )


def _difference(part: PartRow, found: ObjectInfo) -> str | None:
    if found.size != part.size:
        return f"has {found.size} bytes where {part.size} were put"
    if found.md5 is not None and found.md5 != part.md5:
        return "has other content than was put"
    if found.etag is not None and part.etag is not None and found.etag != part.etag:
        return "was replaced"
    return None
