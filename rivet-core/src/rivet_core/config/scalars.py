"""What a written scalar means for a number, a truth value or a fraction; YAML 1.1's surprises are refused by name.

Texts need no function: a text field takes the scalar as it was written, so ``no`` and ``0123`` stay what they are.
"""

from __future__ import annotations

import re
from typing import Final

_INTEGER: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT: Final = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+)([eE][-+]?[0-9]+)?")
_SURPRISES: Final = (
    (
        re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(\.[0-9_]*)?"),
        "underscores in numbers are not read",
        "write the digits alone",
    ),
    (re.compile(r"[-+]?0[0-9]+"), "a leading zero makes some YAML readers take it for octal", "drop the leading zeros"),
    (
        re.compile(r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?"),
        "some YAML readers take it for a base-60 number",
        "write one number in the unit that the key names",
    ),
    (re.compile(r"[-+]?0[xob][0-9a-fA-F_]+"), "only decimal numbers are read", "write the number in decimal"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?"), "it is a date", "write a number"),
    (re.compile(r"(?i)[-+]?\.(inf|nan)"), "it is not finite", "write a finite number"),
)
_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE"})
_ALMOST: Final = {
    **dict.fromkeys(("yes", "y", "on", "1"), "true"),
    **dict.fromkeys(("no", "n", "off", "0"), "false"),
}
#: Counts and sizes beyond this are mistakes, and SQLite and Arrow end there.
LARGEST: Final = 2**63 - 1


class Unreadable(ValueError):
    """A scalar that is not what its field needs.

    :param reason: continues "… is not a whole number".
    """

    def __init__(self, *, remedy: str, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


def read_integer(text: str) -> int:
    """Return a whole number written in decimal digits.

    :raises Unreadable: for everything else.
    """
    if not _INTEGER.fullmatch(text):
        raise _surprise(text, "write a whole number, such as 5")
    # Bounded before the conversion, whose cost grows with the square of the length.
    if len(text) > 20 or abs(int(text)) > LARGEST:
        raise Unreadable(reason="it is too large", remedy=f"write a number between -{LARGEST} and {LARGEST}")
    return int(text)


def read_float(text: str) -> float:
    """Return a finite decimal number.

    :raises Unreadable: for everything else.
    """
    if not _FLOAT.fullmatch(text):
        raise _surprise(text, "write a number, such as 0.5")
    value = float(text)
    if value in {float("inf"), float("-inf")}:
        raise Unreadable(reason="it is too large", remedy="write a number below 1e308")
    return value


def read_boolean(text: str) -> bool:
    """Return ``true`` or ``false``.

    :raises Unreadable: for everything else, also for the other words that YAML 1.1 has for them.
    """
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if meant := _ALMOST.get(text.lower()):
        raise Unreadable(reason="YAML readers disagree about this word", remedy=f"write {meant}")
    raise Unreadable(remedy="write true or false")


def _surprise(text: str, otherwise: str) -> Unreadable:
    for pattern, reason, remedy in _SURPRISES:
        if pattern.fullmatch(text):
            return Unreadable(reason=reason, remedy=remedy)
    return Unreadable(remedy=otherwise)
