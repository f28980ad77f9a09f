"""An error as it may be told: what a plugin or a driver says is redacted, what rivet itself says stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import RivetError
from rivet_core.types.secret import redact

if TYPE_CHECKING:
    from types import TracebackType

_OURS: Final = "rivet_core."
#: Plugins that come with the core are plugins like any other.
_PLUGINS: Final = tuple(f"{_OURS}{name}." for name in ("sources", "runners", "formats", "destinations", "testing"))


def told(error: RivetError) -> RivetError:
    """Return the error, its texts without secrets; one that rivet's own code raised, or only made, stays as it is.

    Whoever of rivet's own code quotes an exception redacts it there, so that its own words stay whole.
    """
    if not _foreign(error.__traceback__):
        return error
    # In place: a copy would need every subclass to be made alike, and would lose what it was raised from.
    error.message = redact(error.message)
    error.args = (error.message,)
    error.remedy = error.remedy if error.remedy is None else redact(error.remedy)
    if error.place is not None and error.place.value is not None:
        error.place = attrs.evolve(error.place, value=redact(error.place.value))
    return error


def reason(error: BaseException) -> str:
    """Return what an exception says, without secrets: for a sentence of rivet's own that quotes it."""
    if isinstance(error, RivetError):
        return told(error).message
    return redact(f"{type(error).__name__}: {error}")


def _foreign(traceback: TracebackType | None) -> bool:
    """Whether what was raised began in code that is not the core's own."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    module = str(traceback.tb_frame.f_globals.get("__name__", ""))
    return not module.startswith(_OURS) or module.startswith(_PLUGINS)
