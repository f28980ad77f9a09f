"""Secrets that print as ``***``, and the one redactor that every foreign text passes where it comes in.

What rivet says by itself never passes it: a password may be a word of ours, and would mask names and status words.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, quote_plus, unquote

MASK = "***"

#: Every spelling of every secret of this process. A driver may print a password in any of them.
_known: set[str] = set()

#: User information in a URL. The greedy middle reaches the last ``@`` of the word, since a raw password may hold
#: ``@``, ``/``, ``:``, ``?`` and ``#``; what follows the ``@`` must look like a host.
_USERINFO = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<info>[^\s\"'<>]*)@(?=[\w.\[\]-]*(?:[:/?#\s\"'>,)]|$))"
)
#: A URL with a password where nothing else would have an ``@``: no path or name of ours looks like that.
_URL_PASSWORD = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)[^\s\"'<>/@:]*:[^\s\"'<>/@]*@")
#: The same without slashes, as a mistyped URL has it; only behind what is a scheme for sure, since the
#: names of files and columns may hold colons.
_BARE_PASSWORD = re.compile(
    r"(?i)\b(?P<scheme>(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|mongodb(?:\+srv)?|https?):)"
    r"(?!//)/?[^\s\"'<>/@:]*:[^\s\"'<>]*@"
)
#: ``password=…`` in a key-value connection string, quoted or not.
_KEY_VALUE = re.compile(r"(?i)\b(password|passwd|pwd|secret|token)\s*=\s*('(?:[^'\\]|\\.)*'|[^\s;&,)]+)")


class Secret:
    """A string that no message, log or repr may show; :meth:`reveal` is the only way to it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        if value:
            # What a variable holds that is not in the locale's encoding comes as half characters.
            quoted = (quote(value, safe="", errors="surrogateescape"), quote_plus(value, errors="surrogateescape"))
            spellings = {value, *quoted, unquote(value), repr(value)[1:-1]}
            _known.update(spelling for spelling in spellings if spelling)

    def reveal(self) -> str:
        """Return the secret itself; for a driver's call, never for text."""
        return self._value

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Secret, (self._value,))


def redact(text: str) -> str:
    """Return a foreign text (a driver's, a library's, a plugin's) without secrets and user information of URLs.

    Over-masking is accepted there: a one-letter password masks that letter everywhere. A second time changes nothing.
    """
    # The mask goes first, since a password may be a piece of it.
    spellings = (MASK, *sorted(_known, key=len, reverse=True))
    text = re.sub("|".join(map(re.escape, spellings)), MASK, text)
    text = _USERINFO.sub(lambda match: f"{match['scheme']}{MASK}@", text)
    return _KEY_VALUE.sub(lambda match: f"{match[1]}={MASK}", text)


def in_a_secret(text: str) -> bool:
    """Whether a text is one of the secrets or a piece of one; a short text that says nothing may be a piece too."""
    return bool(text) and any(text in spelling for spelling in _known)


def without_url_passwords(text: str) -> str:
    """Return a text of ours, such as a destination's address, without what stands before the ``@`` of a URL in it."""
    text = _URL_PASSWORD.sub(lambda match: f"{match['scheme']}{MASK}@", text)
    return _BARE_PASSWORD.sub(lambda match: f"{match['scheme']}{MASK}@", text)
