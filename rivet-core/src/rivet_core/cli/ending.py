"""The one place where a command ends: every way that it can end becomes an exit status and, at most, one error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING

import click

from rivet_core.cli.failing import tell_error, tell_error_json, tell_traceback, unknown_error, usage_error
from rivet_core.cli.invocation import Invocation
from rivet_core.cli.printing import open_closed_streams
from rivet_core.cli.program import program
from rivet_core.cli.signals import SignalReceived, Signals
from rivet_core.errors import Exit, RivetError

if TYPE_CHECKING:
    from collections.abc import Sequence


def end(arguments: Sequence[str], signals: Signals | None = None) -> int:
    """Run a command and return its exit status; nothing is raised.

    :param signals: handled already by the caller.
    """
    # Looked for by hand, so that it also holds for what the parser itself complains about.
    given = arguments[: arguments.index("--")] if "--" in arguments else arguments
    watched = signals or Signals()
    handling = nullcontext() if signals is not None else watched.handled()
    invocation = Invocation(environ=os.environ, signals=watched, json_errors="--json-errors" in given)
    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a letter of a name is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    with handling:
        status = _run(list(arguments), invocation)
    if invocation.abandon_threads:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(status)
    return status


def _run(arguments: list[str], invocation: Invocation) -> int:
    try:
        status = program.main(args=arguments, prog_name="rivet", standalone_mode=False, obj=invocation)
        return int(status or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        if not invocation.json_errors:
            click.echo(error.format_message(), err=True)
            return int(Exit.USAGE)
        return _failed(usage_error(click.UsageError("a command is missing", ctx=error.ctx)), invocation)
    except click.ClickException as error:
        return _failed(usage_error(error), invocation)
    except RivetError as error:
        return _failed(error, invocation)
    except SignalReceived as received:
        if invocation.json_errors:
            tell_error_json({"error": str(received), "exit_class": received.exit, "code": "RIVET_RUN_STOPPED"})
        else:
            click.echo(str(received), err=True)
        return received.exit
    # What has no name must still end in an exit status that means "a bug".
    except Exception as error:  # noqa: BLE001
        if invocation.debug:
            tell_traceback(error)
        return _failed(unknown_error(error), invocation)


def _failed(error: RivetError, invocation: Invocation) -> int:
    tell_error(error, invocation)
    return int(error.exit)
