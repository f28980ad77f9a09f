"""The one step that makes a staged file visible under its final name, replacing or refusing, never in between."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_NO_LINKS: Final = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
_AT_FDCWD: Final = -100
_RENAME_NOREPLACE: Final = 1
_RENAME_EXCL: Final = 4


def publish(staged: Path, final: Path, *, create: bool) -> None:
    """Rename a file within one file system.

    :param create: refuse when the name is taken.
    :raises FileExistsError: when it is; the staged file stays.
    """
    if not create:
        staged.replace(final)
        return
    try:
        # A link fails when the name is taken, which a rename would not.
        os.link(staged, final, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        _rename_exclusively(staged, final)
        return
    # The object is there; a second name in the staging folder does no harm.
    with contextlib.suppress(OSError):
        staged.unlink()


def _rename_exclusively(staged: Path, final: Path) -> None:
    """Rename and refuse a taken name, where the file system knows no links."""
    library = ctypes.CDLL(None, use_errno=True)
    names = (os.fsencode(staged), os.fsencode(final))
    if sys.platform == "darwin":
        failed = library.renamex_np(*names, _RENAME_EXCL)
    else:
        failed = library.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_NOREPLACE)
    if failed:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(final))
