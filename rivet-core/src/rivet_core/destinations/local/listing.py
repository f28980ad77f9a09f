"""Every object below a folder, in the order of the keys, with one folder's names in memory at a time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rivet_core.destinations.local.keys import STAGING
from rivet_core.types import ObjectInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def objects_below(root: Path, prefix: str) -> Iterator[ObjectInfo]:
    """Yield the object of this very key, or those below it; symbolic links are no objects."""
    path = root / prefix if prefix else root
    if not path.is_dir():
        if path.is_file() and not path.is_symlink():
            yield ObjectInfo(key=prefix, size=path.stat().st_size)
        return
    yield from _walk(path, f"{prefix}/" if prefix else "")


def _walk(folder: Path | str, above: str) -> Iterator[ObjectInfo]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=_place)
    except FileNotFoundError:  # removed since it was seen
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if above or entry.name != STAGING:
                yield from _walk(entry.path, f"{above}{entry.name}/")
        elif entry.is_file(follow_symlinks=False):
            try:
                size = entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue
            yield ObjectInfo(key=above + entry.name, size=size)


def _place(entry: os.DirEntry[str]) -> str:
    # A folder stands where the keys below it stand: "a.b" comes before "a/b".
    return entry.name + "/" if entry.is_dir(follow_symlinks=False) else entry.name
