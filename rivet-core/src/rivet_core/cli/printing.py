"""What is printed: reports on standard output, everything else on standard error.

Foreign texts are redacted where they come in, not here, where nobody can tell them from our own words.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

from rivet_core.errors import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Sequence


def say(*lines: str, out: TextIO | None = None) -> None:
    """Print a line or several of a report; what a terminal would obey, a line's end in a name too, is escaped.

    :param out: where to, when it is not standard output.
    """
    from rivet_core.types import one_line, without_url_passwords

    _write(out or sys.stdout, "".join(f"{without_url_passwords(one_line(line))}\n" for line in lines))


def tell(line: str) -> None:
    """Print a line on standard error that is no part of a report."""
    say(line, out=sys.stderr)


def tell_block(text: str, *, head: str = "") -> None:
    """Print a text of several lines on standard error; only its first can look like a line of its own.

    :param head: goes before it as it is, colours included.
    """
    from rivet_core.types import block, without_url_passwords

    _write(sys.stderr, f"{head}{without_url_passwords(block(text))}\n")


def say_json(value: Any, *, out: TextIO | None = None, indent: int | None = 2) -> None:
    """Print a JSON document, in which a stream that cannot show a letter gets JSON's own escape of it."""
    stream = out or sys.stdout
    text = json_text(value, indent=indent)
    try:
        text.encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json_text(value, indent=indent, ascii_only=True)
    _write(stream, f"{text}\n")


def json_text(value: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    """Return JSON, its texts without the passwords of URLs."""
    from rivet_core.types import json_shown

    return json_shown(json.dumps(_masked(value), indent=indent, ensure_ascii=ascii_only))


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return rows as lines, in columns as wide as their longest cell."""
    from rivet_core.types import one_line

    lines = [tuple(headings), *(tuple(one_line(cell) for cell in row) for row in rows)]
    widths = [max(len(line[number]) for line in lines) for number in range(len(headings))]
    return tuple(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _masked(value: Any) -> Any:
    from rivet_core.types import without_url_passwords

    if isinstance(value, str):
        return without_url_passwords(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    return value


def open_closed_streams() -> None:
    """Give the standard streams that the caller closed to nobody.

    A file that is opened later would get their numbers, and whoever writes to a stream would write into that file.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            # The lowest free number is given first, so this is the closed stream's own.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # The reader has seen enough. What is still printed goes nowhere, and the exit status stays what it was.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except OSError as error:
        msg = f"the output cannot be written: {error.strerror}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_CLI_OUTPUT_UNWRITABLE",
            remedy="send it elsewhere; what the command itself did is done",
        ) from error
