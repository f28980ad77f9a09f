"""Positions of SQLite: a value with its storage class, so that binding it again gives the same place in the order."""

from __future__ import annotations

from typing import Any

from rivet_core.errors import InternalError
from rivet_core.types import Position


def position(values: tuple[Any, ...]) -> Position:
    """Return the position of a row by its key values."""
    return Position.row(*map(_tagged, values))


def bindings(at: Position) -> tuple[Any, ...]:
    """Return the values to bind, one per key.

    :raises InternalError: for a position that this source never gave.
    """
    return tuple(map(_value, at.parts))


def _tagged(value: Any) -> Position:
    if value is None:
        return Position("null", "")
    if isinstance(value, int):
        return Position("int64", str(value))
    if isinstance(value, float):
        return Position("float64", repr(value))  # the shortest text that reads back as the same real
    if isinstance(value, bytes):
        return Position("blob", value.hex())
    return Position("text", str(value))


def _value(part: Position) -> Any:
    match part:
        case Position("null", _):
            return None
        case Position("int64", str(value)):
            return int(value)
        case Position("float64", str(value)):
            return float(value)
        case Position("blob", str(value)):
            return bytes.fromhex(value)
        # A runner that counts in days makes such borders; SQLite keeps dates as text.
        case Position("text" | "date" | "timestamp", str(value)):
            return value
    msg = f"a position of the type {part.type} does not belong to SQLite"
    raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
