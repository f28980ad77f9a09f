"""Which exceptions are somebody's bug and not the environment's doing, whose bug it is, and the error that says so.

The source was asked first: what its verdict knows is no bug. Classes of a driver or a library are none either, since
they may say anything; of Python's own classes all are, but for those that the system or a library's core raises.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from rivet_core.errors import InternalError
from rivet_core.types import redact

if TYPE_CHECKING:
    from types import TracebackType

_ENVIRONMENT: Final = (OSError, MemoryError, EOFError, Warning)
#: Libraries raise these for whatever has no class of its own; only what is derived from them means something else.
_ANYTHING: Final = (Exception, RuntimeError)
_CORE: Final = "rivet-core"


def is_bug(error: BaseException) -> bool:
    """Whether an exception that nobody knows means that code is wrong: trying again or mending a server cannot help."""
    kind = type(error)
    return kind.__module__ == "builtins" and kind not in _ANYTHING and not isinstance(error, _ENVIRONMENT)


def bug(error: BaseException) -> InternalError:
    """Return the error for an exception that nothing else has a name for, raised from it."""
    whose = _distribution(error.__traceback__)
    found = InternalError(
        redact(f"{type(error).__name__}: {error}") + ("" if whose is None else f" (in {whose})"),
        code="RIVET_INTERNAL_ERROR",
        remedy=f"this is a bug of {whose or 'rivet or of a plugin'}: report it with the traceback of RIVET_DEBUG=1",
    )
    found.__cause__ = error
    return found


def _distribution(traceback: TracebackType | None) -> str | None:
    """Return whose code, the core's or a plugin's, was the last to run: what it calls is not to blame."""
    found = None
    while traceback is not None:
        package = str(traceback.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        found = _plugins().get(package, found)
        traceback = traceback.tb_next
    # The core's frames are in every traceback, also in those of plugins that no entry point leads to.
    return None if found == _CORE else found


@cache
def _plugins() -> dict[str, str]:
    """Return the distributions of the top-level packages that have entry points of rivet's."""
    return {
        entry.value.partition(":")[0].partition(".")[0]: entry.dist.name
        for entry in entry_points(group="rivet")
        if entry.dist is not None
    }
