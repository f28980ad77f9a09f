"""Problems of a configuration file as values, and the one error that reports all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.errors import Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Structure, keys and types.
INVALID: Final = "RIVET_CONFIG_YAML_INVALID"
#: A value of the right type that the key cannot have.
VALUE: Final = "RIVET_CONFIG_VALUE_INVALID"


@attrs.frozen(kw_only=True)
class Problem:
    """One thing that is wrong.

    :param message: what is wrong, free of secrets: whoever puts a user's value into it redacts that value. Not the
        whole text, because then a password such as ``postgres`` would be masked in our own words, too.
    :param place: file, YAML path, line and column.
    :param remedy: what to do next.
    """

    message: str
    place: Place
    remedy: str
    code: str = INVALID

    def __str__(self) -> str:
        text = f"{self.place}: {self.message} [{self.code}]"
        return f"{text}\n    What to do: {self.remedy}"

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON data, for ``--json-errors``."""
        return {
            "code": self.code,
            "message": self.message,
            "file": self.place.file,
            "path": self.place.path,
            "line": self.place.line,
            "column": self.place.column,
            "remedy": self.remedy,
        }


@attrs.frozen(kw_only=True)
class ConfigWarning:
    """Something in the file that a person should know; the run goes on."""

    message: str
    place: Place

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class ConfigurationInvalid(UsageError):
    """Every problem of one configuration file.

    :param problems: at least one; they are reported in the order of the file.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        # One anchor that several aliases name gives the same problem several times.
        self._take(tuple(sorted(dict.fromkeys(problems), key=_order)))

    def put(self, problems: Iterable[Problem]) -> None:
        """Report these problems instead: the same ones, with more known of their places."""
        self._take(tuple(sorted(problems, key=_order)))

    def _take(self, problems: tuple[Problem, ...]) -> None:
        first, *others = problems
        codes = {problem.code for problem in problems}
        if others:
            file = first.place.file or "the configuration"
            lines = [f"{file} has {len(problems)} problems", *(f"  {problem}" for problem in problems)]
            super().__init__("\n".join(lines), code=codes.pop() if len(codes) == 1 else INVALID)
        else:
            super().__init__(first.message, code=first.code, place=first.place, remedy=first.remedy)
        self.problems = problems

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.problems,))


def _order(problem: Problem) -> tuple[str, int, int]:
    return (problem.place.file or "", problem.place.line or 0, problem.place.column or 0)
