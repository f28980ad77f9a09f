"""Export names: they become parts of paths, keys of the state and words on the command line."""

from __future__ import annotations

import os
import re
import sys
from typing import Final

#: Room is left for a run id and a suffix in the 255 bytes that file systems allow.
LONGEST: Final = 128
#: What to do where the locale leaves Python no letters but those of ASCII for the names of files.
LOCALE: Final = "set LC_ALL=C.UTF-8 or PYTHONUTF8=1 for the command"


def refuse_name(name: str) -> str | None:
    """Return why a text cannot be an export's name, or None."""
    if not name.strip():
        return "it is empty"
    if name != name.strip():
        return "it starts or ends with a space"
    if any(character in name for character in "/\\") or ".." in name:
        return "it would be a path: '/', '\\' and '..' cannot be in it"
    if name.startswith("."):
        return "it starts with a dot, so its folder would be hidden"
    if not name.isprintable():
        return "it holds a character that cannot be printed"
    if not can_name_a_file(name):
        return f"no file can be called so in this locale, whose encoding is {sys.getfilesystemencoding()}"
    if re.search(r"#[0-9]+$", name):
        return "it ends in '#' and a number, which is kept for parts of an export"
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST:
        return f"it is longer than {LONGEST} bytes"
    return None


def can_name_a_file(text: str) -> bool:
    """Whether the locale's encoding has all letters of a text."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True
