"""What a value must be to fit a key of our own, each rule with what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import attrs


class Unfit(ValueError):
    """A value that a key cannot have.

    :param remedy: what to write instead.
    """

    def __init__(self, message: str, *, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


def at_least(least: int) -> Callable[[object, attrs.Attribute[Any], Any], None]:
    """Return the rule that a number, if it is given, is not below another."""

    def check(instance: object, attribute: attrs.Attribute[Any], value: float | None) -> None:
        del instance
        if value is not None and value < least:
            msg = f"{attribute.name} must be at least {least}, and is {value}"
            raise Unfit(msg, remedy=f"write {attribute.name}: {least}, or more")

    return check
