"""The operating system's errors in our words, and whether trying again can help."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rivet_core.errors import EnvironmentFailure, RefusalError, RivetError
from rivet_core.types import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NOT_WRITABLE: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL}
)
_PASSING: Final = frozenset({errno.EINTR, errno.EAGAIN, errno.EBUSY, errno.ESTALE, errno.EMFILE, errno.ENFILE})


@contextmanager
def translated(key: str, root: Path) -> Iterator[None]:
    """Raise what the operating system says as an error with a code and a remedy."""
    try:
        yield
    except OSError as error:
        raise _failure(error, key, root) from error


def verdict(error: BaseException) -> Verdict:
    """Return whether trying again can help."""
    number = _number(error)
    if number in _PASSING:
        return Verdict.RETRY
    if number in _NOT_WRITABLE:
        return Verdict.CONFIG
    return Verdict.FATAL


def _number(error: BaseException) -> int | None:
    cause = error if isinstance(error, OSError) else error.__cause__
    return cause.errno if isinstance(cause, OSError) else None


def _failure(error: OSError, key: str, root: Path) -> RivetError:
    reason = error.strerror or str(error)
    if isinstance(error, FileExistsError):
        msg = f"the object {key} is already at {root}"
        remedy = "Find out who wrote it before it is removed: no run uses this name twice."
        return RefusalError(msg, code="RIVET_DEST_OBJECT_EXISTS", remedy=remedy)
    if error.errno in _FULL:
        msg = f"no room for {key} at {root}: {reason}"
        remedy = (
            "Free space or raise the quota or the file size limit (ulimit -f), then run the same command again:"
            " nothing that was recorded is read again."
        )
        return EnvironmentFailure(msg, code="RIVET_DEST_FULL", remedy=remedy)
    if error.errno in _NOT_WRITABLE:
        culprit = f" ({error.filename})" if error.filename else ""
        msg = f"{key} cannot be written at {root}: {reason}{culprit}"
        remedy = "Make destination.path a folder that this user may write, on a file system that is not read-only."
        return EnvironmentFailure(msg, code="RIVET_DEST_NOT_WRITABLE", remedy=remedy)
    msg = f"{key} failed at {root}: {reason}"
    passing = error.errno in _PASSING
    remedy = "Make destination.path a folder of a file system that takes files, look at its disk, and run again."
    if passing:
        remedy = "Run the same command again in a while: nothing that was recorded is read again."
    return EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy=remedy, transient=passing)
