"""Strict reading of JSON objects: every value is what its field says, unknown fields are left alone."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from rivet_core.errors import Place, RefusalError

E = TypeVar("E", bound=StrEnum)


class Fields:
    """One JSON object, with the name that errors call it by.

    :param data: the parsed JSON.
    :param where: such as ``manifest.json: parts[3]``.
    """

    def __init__(self, data: object, where: str) -> None:
        self.where = where
        if not isinstance(data, dict):
            refuse(where, f"an object is expected, not {_kind(data)}")
        self._data: dict[str, Any] = data

    def has(self, name: str) -> bool:
        """Return whether a field is there and not null."""
        return self._data.get(name) is not None

    def text(self, name: str) -> str:
        """Return a string."""
        value = self._value(name)
        if not isinstance(value, str):
            self._wrong(name, "a string", value)
        return value

    def whole(self, name: str) -> int:
        """Return an integer from 0 to 2^63 - 1."""
        value = self._value(name)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 63:
            self._wrong(name, "a whole number from 0 to 2^63 - 1", value)
        return value

    def word(self, name: str, words: type[E]) -> E:
        """Return a member of a closed set."""
        text = self.text(name)
        if text not in {member.value for member in words}:
            self._wrong(name, f"one of {', '.join(words)}", text)
        return words(text)

    def unsigned(self, name: str) -> int:
        """Return an integer below 2^64 that is written as decimal text."""
        text = self.text(name)
        if not (text.isascii() and text.isdigit() and len(text) <= 64 and int(text) < 1 << 64):
            self._wrong(name, "a decimal number below 2^64, as text", text)
        return int(text)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self._value(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self._wrong(name, "a list of strings", value)
        return tuple(value)

    def raw(self, name: str) -> object:
        """Return the value as JSON has it."""
        return self._value(name)

    def fields(self, name: str) -> Fields:
        """Return an object."""
        return Fields(self._value(name), f"{self.where}.{name}")

    def list(self, name: str) -> tuple[Fields, ...]:
        """Return a list of objects; an absent one is empty."""
        value = self._data.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self._wrong(name, "a list", value)
        return tuple(Fields(item, f"{self.where}.{name}[{index}]") for index, item in enumerate(value))

    def optional_text(self, name: str) -> str | None:
        """Return a string, or None when it is absent or null."""
        return self.text(name) if self.has(name) else None

    def optional_whole(self, name: str) -> int | None:
        """Return an integer as :meth:`whole` does, or None when it is absent or null."""
        return self.whole(name) if self.has(name) else None

    def _value(self, name: str) -> Any:
        if name not in self._data:
            refuse(f"{self.where}.{name}", "the field is missing")
        return self._data[name]

    def _wrong(self, name: str, expected: str, value: object) -> NoReturn:
        shown = repr(value) if isinstance(value, str | int | float) else _kind(value)
        refuse(f"{self.where}.{name}", f"{expected} is expected, not {shown[:80]}")


def refuse(where: str, why: str) -> NoReturn:
    """Raise the error of a control object that cannot be understood."""
    msg = f"{where}: {why}"
    raise RefusalError(
        msg,
        code="RIVET_DEST_CONTROL_ARTIFACT_INVALID",
        place=Place(path=where),
        remedy=(
            "read it with the version that wrote it, restore it from the run's own manifest-*.json, or move it away "
            "if nothing at the prefix is needed"
        ),
    )


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
