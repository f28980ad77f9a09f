"""A place in an ordered relation or stream, tagged and opaque."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen
class Position:
    """A value that only its own source can read; nobody compares positions in Python.

    Collation, numeric scale, NULL order and zones differ between servers, and a run needs no comparison: units carry
    an ordinal.

    :param type: the source's tag for the value, such as ``int64``; ``row`` for one of several keys.
    :param value: the lossless text; for ``row`` one position per key, in key order.
    """

    type: str
    value: str | tuple[Position, ...]

    @staticmethod
    def row(*parts: Position) -> Position:
        """Return the position of a row under several keys; a single part is returned as it is."""
        return parts[0] if len(parts) == 1 else Position("row", tuple(parts))

    @property
    def parts(self) -> tuple[Position, ...]:
        """One position per key."""
        return self.value if isinstance(self.value, tuple) else (self,)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, ``{"type": …, "value": …}``."""
        if isinstance(self.value, tuple):
            return {"type": self.type, "value": [part.to_json() for part in self.value]}
        return {"type": self.type, "value": self.value}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Position:
        """Return the position of a JSON form.

        :raises KeyError: for anything that :meth:`to_json` did not write.
        """
        value = data["value"]
        if isinstance(value, list):
            return Position(data["type"], tuple(Position.from_json(part) for part in value))
        return Position(data["type"], value)
