"""From keys to paths below the prefix, and never beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from rivet_core.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

#: The folder below the prefix from which objects are renamed into place; no object's key may lead there.
STAGING: Final = ".rivet_staging"


def path_of(root: Path, key: str) -> Path:
    """Return the object's path.

    :param root: the prefix's folder, resolved.
    :raises UsageError: for a key that is none, or that a symbolic link would lead out of the prefix.
    """
    segments = key.split("/")
    if "\0" in key or any(segment in {"", ".", ".."} for segment in segments) or segments[0] == STAGING:
        msg = f"{key!r} is no key of an object"
        raise UsageError(msg, code="RIVET_CONFIG_PATH_UNSAFE", remedy="Use names without . and .. between slashes.")
    path = root.joinpath(*segments)
    real = os.path.realpath(path.parent)
    if real != str(path.parent):
        msg = f"a symbolic link leads {path.parent} to {real}"
        raise UsageError(msg, code="RIVET_CONFIG_PATH_UNSAFE", remedy="Remove the link below the destination's path.")
    return path
