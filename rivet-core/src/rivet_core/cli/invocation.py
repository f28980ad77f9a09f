"""What holds for the whole command, whichever one it is: the global options and the environment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.cli.signals import Signals
from rivet_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivet_core.config import Places
    from rivet_core.errors import RivetError

#: Seconds to wait for another process's lease.
LOCK_WAIT: Final = 600.0


@attrs.define(kw_only=True)
class Invocation:
    """One call of ``rivet``; the parser fills it in while it meets the global options.

    :param lock_wait: as given on the command line.
    :param abandon_threads: a thread hangs, so the process must end without waiting for it.
    :param places: the lines of the configuration, once it is read.
    """

    environ: Mapping[str, str]
    signals: Signals
    json_errors: bool = False
    quiet: bool = False
    no_color: bool = False
    no_notify: bool = False
    lock_wait: float | None = None
    abandon_threads: bool = False
    places: Places | None = None

    @property
    def color(self) -> bool:
        """Whether text on a terminal may be coloured."""
        return not (self.no_color or self.environ.get("NO_COLOR"))

    @property
    def debug(self) -> bool:
        """Whether tracebacks are wanted."""
        return self.environ.get("RIVET_DEBUG", "") not in {"", "0"}

    @property
    def lock_wait_seconds(self) -> float:
        """How long to wait for another process's lease.

        :raises UsageError: when the variable is no number of seconds.
        """
        if self.lock_wait is not None:
            return self.lock_wait
        text = self.environ.get("RIVET_LOCK_WAIT", "")
        if not text:
            return LOCK_WAIT
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        # The comparison also refuses what is not a number.
        if not 0 <= seconds < float("inf"):
            msg = f"RIVET_LOCK_WAIT must be a number of seconds, and is {text!r}"
            raise UsageError(msg, code="RIVET_CLI_VALUE_INVALID", remedy="set it to 0 or more, or unset it")
        return seconds

    def locate(self, *errors: RivetError | None, export: str | None = None) -> None:
        """Put the configuration's lines into errors that name a path of it, or a relation that an export reads."""
        for error in errors:
            if error is not None and self.places is not None:
                self.places.locate(error, export=export)

    def on_terminal(self) -> bool:
        """Whether standard error is a terminal that can redraw a line."""
        return sys.stderr.isatty() and self.environ.get("TERM", "") != "dumb"
