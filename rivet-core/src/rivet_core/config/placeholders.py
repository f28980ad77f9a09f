"""``${NAME}`` and ``${NAME:-default}`` in the text of one scalar; ``$${`` stands for ``${`` itself.

Of several dollars before a brace, two stand for one; an odd one begins a placeholder and leaves those before it as they
are, so that ``$$${NAME}$$`` is a text of PostgreSQL in dollar quotes, as the Rust tool has it.

Values are put in after the file was parsed, so that no value can change the file's structure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import UsageError
from rivet_core.types.foreign_text import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_TOKEN: Final = re.compile(
    r"(?<!\$)(?P<escape>(?:\$\$)+)\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_.-]*?)(?P<or>:-(?P<default>[^}]*))?\}|(?P<bad>\$\{)"
)
_BEFORE_A_BRACE: Final = re.compile(r"\$+(?=\{)")


@attrs.frozen(kw_only=True)
class Fault:
    """A placeholder that could not be replaced.

    :param name: the unset variable, or None when the placeholder is malformed.
    :param offset: where it starts in the text.
    """

    name: str | None
    reason: str
    offset: int


@attrs.frozen(kw_only=True)
class Expanded:
    """A scalar's text with its placeholders replaced.

    :param lone: the whole text was one placeholder.
    :param used: at least one placeholder was replaced.
    """

    text: str
    lone: bool
    used: bool
    faults: tuple[Fault, ...] = ()


def expand(text: str, lookup: Callable[[str], str | None]) -> Expanded:
    """Replace every placeholder of a text, once: what a value holds is never looked at again.

    :param lookup: a variable's value, or None when it is not set. An empty value counts as set, except that a default
        takes its place.
    """
    faults: list[Fault] = []
    pieces: list[str] = []
    end, used = 0, False
    for match in _TOKEN.finditer(text):
        pieces.append(text[end : match.start()])
        end = match.end()
        if match["escape"]:
            pieces.append("$" * (len(match["escape"]) // 2) + "{")
        elif match["bad"]:
            reason = "'${' starts no placeholder such as ${NAME}"
            faults.append(Fault(name=None, reason=reason, offset=match.start()))
        else:
            used = True
            name = match["name"]
            value = lookup(name)
            if not value and match["or"]:
                value = match["default"]
            if value is None:
                faults.append(Fault(name=name, reason=f"{name} is not set", offset=match.start()))
            elif (value := utf8(value)) is None:
                faults.append(Fault(name=name, reason=f"the value of {name} is no UTF-8 text", offset=match.start()))
            elif "\0" in value:
                faults.append(Fault(name=name, reason=f"the value of {name} holds a NUL", offset=match.start()))
            else:
                pieces.append(value)
    pieces.append(text[end:])
    whole = _TOKEN.fullmatch(text)
    lone = whole is not None and whole["name"] is not None
    return Expanded(text="".join(pieces), lone=lone, used=used, faults=tuple(faults))


def escaped(text: str) -> str:
    """Return what a file says to mean a text itself."""
    return _BEFORE_A_BRACE.sub(lambda dollars: dollars[0] * 2, text)


class Variables:
    """The values that placeholders stand for: ``--param`` first, then the environment.

    It remembers what was asked for, so that a ``--param`` that nobody used can be reported.
    """

    def __init__(self, params: Mapping[str, str], environ: Mapping[str, str]) -> None:
        self._params = params
        self._environ = environ
        self._asked: set[str] = set()

    def lookup(self, name: str) -> str | None:
        """Return a variable's value, or None."""
        self._asked.add(name)
        return self._params[name] if name in self._params else self._environ.get(name)

    @property
    def unused(self) -> tuple[str, ...]:
        """The names of the params that no placeholder asked for."""
        return tuple(name for name in self._params if name not in self._asked)


def read_params(words: Iterable[str]) -> dict[str, str]:
    """Return the values of ``--param NAME=VALUE`` options.

    :raises UsageError: ``RIVET_CLI_VALUE_INVALID`` for a word without a name and ``=``, or a name given twice.
    """
    params: dict[str, str] = {}
    for word in words:
        name, equals, value = (utf8(word) or "").partition("=")
        if utf8(word) is None:
            msg = "a --param is no UTF-8 text"
        elif not (name and equals):
            msg = f"--param {name or '='} is not NAME=VALUE"
        elif name in params:
            msg = f"--param {name} is given twice"
        else:
            params[name] = value
            continue
        raise UsageError(msg, code="RIVET_CLI_VALUE_INVALID", remedy="write --param NAME=VALUE, each name once")
    return params
