"""The log: every event of a run as a structured line, so that a night's run can be followed afterwards.

Nothing of it is a warning: whoever watches is shown it by the progress display, and the report repeats it. Progress is
debug. Only the command line configures where lines go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs
import structlog

from rivet_core.events import RowsRead
from rivet_core.hookspecs import hookimpl
from rivet_core.types import redact

if TYPE_CHECKING:
    from rivet_core.events import Event

log = structlog.get_logger("rivet.events")

#: The keys whose values may quote somebody else; in the others a secret would only mask names of ours.
_QUOTING = frozenset({"error", "message", "detail"})
_WORD = re.compile(r"(?<!^)(?=[A-Z])")


@hookimpl
def rivet_on_event(event: Event) -> None:
    """Write one line: the event's name as ``noun_verb``, its values as keys."""
    name = _WORD.sub("_", type(event).__name__).lower()
    values = {key: redact(value) if key in _QUOTING and value else value for key, value in attrs.asdict(event).items()}
    match event:
        case RowsRead():
            log.debug(name, **values)
        case _:
            log.info(name, **values)
