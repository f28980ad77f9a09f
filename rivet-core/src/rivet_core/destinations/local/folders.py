"""Folders that survive a crash: a new name is durable only when the folder that holds it is synced."""

from __future__ import annotations

import errno
import os
from pathlib import Path


def sync_file(path: Path) -> int:
    """Make a file's bytes durable and return their number."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def sync_folder(path: Path) -> None:
    """Make a folder's names durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and user-space file systems know no such thing; they say so instead of failing.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


class Folders:
    """Makes folders durable, each once; safe to use from several threads.

    A folder that another thread has just made is not durable before that thread has synced its parent, so every
    folder's parent is synced by whoever uses it first, no matter who made it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._durable: set[Path] = set()

    def ensure(self, folder: Path) -> None:
        """Make a folder at or below the root, and everything above it that is missing."""
        if folder in self._durable and folder.is_dir():
            return
        made = _make(folder)
        chain = [folder, *folder.parents]
        below = chain[: chain.index(self._root) + 1]
        for path in reversed([*below, *(path for path in made if path not in below)]):
            try:
                sync_folder(path.parent)
            except PermissionError:
                # A folder that may be entered and not read cannot be synced; it matters only where a name is new.
                if path in made:
                    raise
        self._durable.update(below)


def _make(folder: Path) -> list[Path]:
    """Make what is missing and return it, the deepest first."""
    missing = []
    path = folder
    while not path.is_dir():
        missing.append(path)
        path = path.parent
    for new in reversed(missing):
        try:
            new.mkdir(exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(new)) from error
    return missing
