"""Text that the operating system hands over: the values of variables, and what may be said of their names."""

from __future__ import annotations

import os
import re
from typing import Final

_HALF: Final = re.compile("[\ud800-\udfff]")
#: Words of capitals, with digits only beside an underscore: what else is put there may well be the secret itself.
_NAME: Final = re.compile(r"[A-Z]+|(?=[A-Z0-9]*_)[A-Z_][A-Z0-9_]*")


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
