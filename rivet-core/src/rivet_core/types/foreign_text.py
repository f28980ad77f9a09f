"""Text from outside: what variables and arguments mean, and what a message may repeat of where a secret can slip in."""

from __future__ import annotations

import os
import re
from typing import Final

_HALF: Final = re.compile("[\ud800-\udfff]")
#: Words of capitals, with digits only beside an underscore: what else is put there may well be the secret itself.
_NAME: Final = re.compile(r"[A-Z]+|(?=[A-Z0-9]*_)[A-Z_][A-Z0-9_]*")

#: What keys, kinds and their values look like, and numbers too short for a password.
_ORDINARY: Final = re.compile(r"[a-z_]+|-?[0-9]{1,6}")


def utf8(text: str) -> str | None:
    """Return what the bytes of a variable or an argument mean in UTF-8, whatever the locale is, or None."""
    if not _HALF.search(text):
        return text
    try:
        return os.fsencode(text).decode("utf-8")
    except UnicodeError:
        return None


def reads_like_a_variable(name: str) -> bool:
    """Whether a message may repeat the name of a variable that holds a secret."""
    return _NAME.fullmatch(name) is not None


def is_ordinary(text: str) -> bool:
    """Whether a text is spelt as keys are, or a short number; a secret in the place of one hardly ever is."""
    return _ORDINARY.fullmatch(text) is not None
