"""Whether an export's stored position still means what this run would mean by it."""

from __future__ import annotations

import json

from rivet_core.errors import Place, RefusalError
from rivet_core.planning.identity import differences
from rivet_core.types import Position


def stored_position(position: str | None) -> Position | None:
    """Return the state's position text as a value."""
    return None if position is None else Position.from_json(json.loads(position))


def position_text(position: Position) -> str:
    """Return a position as a person should read it; only its source can compare it."""
    return ", ".join(str(part.value) for part in position.parts)


def check_position(export: str, stored: str | None, current: str) -> None:
    """Refuse a position that belongs to another cursor, query, destination or format.

    :param stored: the facts that were stored with the position, or None without one.
    :param current: this run's facts.
    :raises RefusalError: ``RIVET_STATE_POSITION_MISMATCH`` naming what differs.
    """
    if stored is None or stored == current:
        return
    msg = f"the stored position of export {export} means something else: {'; '.join(differences(stored, current))}"
    raise RefusalError(
        msg,
        code="RIVET_STATE_POSITION_MISMATCH",
        place=Place(path=f"exports.{export}"),
        remedy="restore the configuration, or forget the position with `rivet state reset` and export everything again",
    )
