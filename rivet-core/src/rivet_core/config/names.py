"""Export names: they become parts of paths, keys of the state and words on the command line."""

from __future__ import annotations

import re
from typing import Final

#: Room is left for a run id and a suffix in the 255 bytes that file systems allow.
LONGEST: Final = 128


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
    if re.search(r"#[0-9]+$", name):
        return "it ends in '#' and a number, which is kept for parts of an export"
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST:
        return f"it is longer than {LONGEST} bytes"
    return None
