"""Why a text is no YAML, in words of our own: the parser's repeat the text, and that may be a password."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import yaml

from rivet_core.config.problems import Problem
from rivet_core.errors import Place

if TYPE_CHECKING:
    from collections.abc import Iterable

_QUOTE: Final = "put a text that starts with a special character in quotes"
_UNCLOSED: Final = "close what is open above this line: a quote, a bracket or a brace"
#: What the parser says, what we say, and what to do; the first that fits counts.
_WORDS: Final = tuple(
    (re.compile(pattern), words, remedy)
    for pattern, words, remedy in (
        (r"found character '\\t'", "a tab stands where none may be", "indent with spaces, not with tabs"),
        (r"cannot start any token", "a text cannot start with this character", _QUOTE),
        (r"undefined alias|anchor|scanning an alias|duplicate anchor",
         "'*' and '&' refer to other places of the file, and this one does not fit", _QUOTE),
        (r"tag|URI", "'!' starts a tag, and tags have no meaning here", _QUOTE),
        (r"directive|YAML document|document start|but found '%'", "'%' starts a directive, and none has a meaning here",
         _QUOTE),
        (r"another document", "a second document begins here", "keep one document, and remove '---' before the other"),
        (r"mapping values are not allowed", "a second ': ' stands in one line",
         "put a text that holds ': ' in quotes, and look at the indentation"),
        (r"could not find expected ':'", "a line is neither 'key: value' nor part of a text",
         "write 'key: value' with a space behind the colon, and look at the indentation"),
        (r"scanning a block scalar", "'|' and '>' start a block of text, whose lines stand below", _QUOTE),
        (r"escape", "'\\' starts an escape in double quotes, and this is none",
         "write two backslashes, or use single quotes"),
        (r"scanning a (double-)?quoted scalar", "a quote is not closed", "close the quote, and double one inside it"),
        (r"flow (mapping|sequence|node)", "a bracket or a brace is not closed, or a comma is missing", _UNCLOSED),
        (r"sequence entries|block (mapping|collection|end)|mapping keys|block node|node content",
         "this line does not fit those above it",
         "indent the keys of one block alike, and put a text that starts with a special character in quotes"),
    )
)  # fmt: skip
_OTHERWISE: Final = ("the text breaks the rules of YAML here", "put texts in quotes, and look at the indentation")


def syntax_problem(error: yaml.YAMLError, text: str, *, file: str) -> Problem:
    """Return the problem that a parser's error is.

    :param text: the file's, as the parser got it.
    """
    if isinstance(error, yaml.reader.ReaderError):
        words = f"the character U+{ord(text[error.position]):04X} cannot stand in a file of YAML"
        return _problem(_place(text, error.position, file), words, 'remove it, or write it as an escape, such as "\\0"')
    said: Iterable[str | None] = ()
    place = Place(file=file, line=1, column=1)
    if isinstance(error, yaml.MarkedYAMLError):
        said = (error.context, error.problem)
        if (mark := error.problem_mark or error.context_mark) is not None:
            place = Place(file=file, line=mark.line + 1, column=mark.column + 1)
    sentence = " ".join(word for word in said if word)
    found = next(((words, remedy) for pattern, words, remedy in _WORDS if pattern.search(sentence)), _OTHERWISE)
    return _problem(place, *found)


def _problem(place: Place, words: str, remedy: str) -> Problem:
    return Problem(place=place, message=f"this is not YAML: {words}", remedy=remedy)


def _place(text: str, position: int, file: str) -> Place:
    before = text[:position]
    return Place(file=file, line=before.count("\n") + 1, column=position - before.rfind("\n"))
