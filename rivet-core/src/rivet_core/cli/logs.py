"""The library's logs: warnings on standard error, without secrets, and tracebacks only for who asks for them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from rivet_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from rivet_core.cli.invocation import Invocation

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}

#: Keys of a line whose values are rivet's own words: its clock and levels, names of the configuration, ids.
_OURS: Final = frozenset(
    {"timestamp", "level", "export", "run_id", "runner", "unit", "key", "manifest", "status", "gate", "verdict", "code"}
)
_WORD: Final = re.compile(r"[a-z_]+")


class _StandardError:
    """Writes to whatever standard error is at that moment, since a progress display may have taken its place."""

    def __call__(self, *arguments: Any) -> _StandardError:
        del arguments
        return self

    def msg(self, message: str) -> None:
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()

    log = debug = info = warning = warn = error = critical = fatal = exception = failure = msg


def configure_logs(invocation: Invocation) -> None:
    """Configure structlog for this process; ``RIVET_LOG`` names the lowest level that is shown.

    :raises UsageError: for a level that there is none.
    """
    import structlog

    word = invocation.environ.get("RIVET_LOG", "") or ("error" if invocation.quiet else "warning")
    if word.lower() not in _LEVELS:
        msg = f"RIVET_LOG must be one of {', '.join(_LEVELS)}, and is {word!r}"
        raise UsageError(msg, code="RIVET_CLI_VALUE_INVALID", remedy="correct it, or unset it")

    def without_traceback(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        del logger, method
        if not invocation.debug:
            event.pop("exc_info", None)
        return event

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=True),
            without_traceback,
            structlog.processors.format_exc_info,
            _rendered,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[word.lower()]),
        logger_factory=_StandardError(),
        cache_logger_on_first_use=False,
    )


def _rendered(logger: Any, method: str, event: MutableMapping[str, Any]) -> str:
    import structlog

    from rivet_core.types import redact

    for name, value in event.items():
        # A log's caller may be anybody, so only what can hold nothing but a name or a number of ours is left as it is.
        if name in _OURS or (name == "event" and _WORD.fullmatch(str(value))):
            continue
        if not isinstance(value, int | float | None):
            event[name] = redact(str(value))
    render = structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"], drop_missing=True)
    return str(render(logger, method, event))
