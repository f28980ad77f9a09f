"""A user's own statement, made fit to stand in brackets; it is not parsed beyond quotes, comments and semicolons."""

from __future__ import annotations

import re
from typing import Final

from rivet_core.errors import UsageError

_TOKEN: Final = re.compile(
    r"""
      (?P<blank> \s+ | --[^\n]* )
    | (?P<comment> /\* )
    | (?P<quoted> [eE]'(?:[^'\\]|\\.|'')*' | '(?:[^']|'')*' | "(?:[^"]|"")*" )
    | (?P<dollar> \$(?:[^\W\d]\w*)?\$ )
    | (?P<end> ; )
    | (?P<text> [\w$]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)


def subquery_text(text: str) -> str:
    """Return the statement without its semicolon and what follows that.

    :raises UsageError: when there is no statement, or more than one.
    """
    end: int | None = None
    empty = True
    at = 0
    while match := _TOKEN.match(text, at):
        at = match.end()
        if match.lastgroup == "blank":
            continue
        if match.lastgroup == "comment":
            at = _comment_end(text, match.start())
            continue
        if match.lastgroup == "end":
            end = match.start() if end is None and not empty else end
            continue
        if match.lastgroup == "dollar":
            # Only its own tag ends a dollar-quoted text.
            close = text.find(match[0], at)
            at = len(text) if close < 0 else close + len(match[0])
        if end is not None:
            msg = "more than one statement"
            raise _unusable(msg, "Keep one SELECT, with nothing behind its semicolon.")
        empty = False
    if empty:
        msg = "no statement"
        raise _unusable(msg, "Write one SELECT.")
    # The lines before it stay, so that the server counts as the user does.
    return text[:end].rstrip()


def _comment_end(text: str, start: int) -> int:
    """Return where a block comment ends; PostgreSQL nests them."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)


def _unusable(what: str, remedy: str) -> UsageError:
    return UsageError(f"the query holds {what}", code="RIVET_CONFIG_VALUE_INVALID", remedy=remedy)
