"""How an error is told: as text for a person, or as one JSON object for a program."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

import click

from rivet_core.cli.printing import say_json, tell_block
from rivet_core.errors import InternalError, RivetError, UsageError

if TYPE_CHECKING:
    from rivet_core.cli.invocation import Invocation


def tell_error(error: RivetError, invocation: Invocation) -> None:
    """Print an error on standard error; where it is wanted, with the traceback of what it was raised from."""
    tell_cause(error, invocation)
    invocation.locate(error)
    if invocation.json_errors:
        tell_error_json(error_to_json(error))
        return
    from rivet_core.types import told

    colored = invocation.color and sys.stderr.isatty()
    head = click.style("Error:", fg="red", bold=True) if colored else "Error:"
    tell_block(str(told(error)), head=f"{head} ")


def tell_cause(error: RivetError, invocation: Invocation) -> None:
    """Print the traceback of what an error was raised from, for who asks for it."""
    if invocation.debug and error.__cause__ is not None:
        tell_traceback(error)


def tell_traceback(error: BaseException) -> None:
    """Print where an error came from; tracebacks quote whatever was raised."""
    from rivet_core.types import redact

    tell_block(redact("".join(traceback.format_exception(error)).rstrip()))


def tell_error_json(value: dict[str, Any]) -> None:
    """Print an error's JSON object, on one line."""
    say_json(value, out=sys.stderr, indent=None)


def error_to_json(error: RivetError) -> dict[str, Any]:
    """Return the object of ``--json-errors``: ``error``, ``exit_class``, ``code``, and where and what to do."""
    from rivet_core.types import told

    error = told(error)
    place = error.place
    found: dict[str, Any] = {
        "error": error.message,
        "exit_class": int(error.exit),
        "code": error.code,
        "place": None
        if place is None
        else {
            name: getattr(place, name)
            for name in ("file", "path", "line", "column", "relation", "field", "value")
            if getattr(place, name) is not None
        },
        "remedy": error.remedy,
    }
    problems = getattr(error, "problems", ())
    if problems:
        found["problems"] = [problem.to_json() for problem in problems]
    return found


def usage_error(error: click.ClickException) -> UsageError:
    """Return the parser's complaint as an error of ours."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "rivet"
    code = "RIVET_CLI_OPTION_UNSUPPORTED" if isinstance(error, click.NoSuchOption) else "RIVET_CLI_VALUE_INVALID"
    from rivet_core.types import redact

    message = redact(" ".join(error.format_message().split()).rstrip("."))
    return UsageError(message[:1].lower() + message[1:], code=code, remedy=f"{path} --help shows what it takes")


def unknown_error(error: BaseException) -> RivetError:
    """Return an error for what nothing else has a name for."""
    from rivet_core.types import redact

    text = redact(" ".join(str(error).split()))
    return InternalError(
        f"{type(error).__name__}: {text}" if text else type(error).__name__,
        code="RIVET_INTERNAL_ERROR",
        remedy="this is a bug of rivet or of a plugin: run it again with RIVET_DEBUG=1 and report the traceback",
    )
