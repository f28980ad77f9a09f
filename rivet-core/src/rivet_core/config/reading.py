"""What gathers while one file is read: problems, warnings, and the values that placeholders stand for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.config.placeholders import Expanded, Variables, expand
from rivet_core.config.problems import INVALID, ConfigWarning, Problem
from rivet_core.config.showing import masked, may_be_told
from rivet_core.types.foreign_text import reads_like_a_variable

if TYPE_CHECKING:
    from rivet_core.config.nodes import Scalar
    from rivet_core.errors import Place, RivetError

#: What to do about a plugin that does not say so itself.
ASK_PLUGINS: Final = "rivet plugins shows what is installed, and what is broken"
UNSET: Final = "RIVET_CONFIG_SECRET_UNSET"


@attrs.define(kw_only=True)
class Reading:
    """The collector of one file; nothing in it is raised before the whole file was looked at.

    :param folder: the file's folder, absolute; paths of options and query files are relative to it.
    :param connects: the source is going to be read, so that what that takes is looked at, too.
    :param cause: the first error of a plugin, to be chained.
    """

    folder: Path
    variables: Variables
    connects: bool = False
    problems: list[Problem] = attrs.field(factory=list)
    warnings: list[ConfigWarning] = attrs.field(factory=list)
    cause: RivetError | None = None

    def problem(self, place: Place, message: str, *, remedy: str, code: str = INVALID) -> None:
        """Remember a problem."""
        self.problems.append(Problem(place=place, message=message, code=code, remedy=remedy))

    def refused(self, place: Place, error: RivetError) -> None:
        """Remember what a plugin's error says, at the place that asked for the plugin."""
        self.problem(place, masked(error.message), code=error.code, remedy=error.remedy or ASK_PLUGINS)
        self.cause = self.cause or error

    def warn(self, place: Place, message: str) -> None:
        """Remember a warning, once."""
        warning = ConfigWarning(message=message, place=place)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def trial(self) -> Reading:
        """Return a collector of the same file whose findings may be thrown away."""
        return Reading(folder=self.folder, variables=self.variables, connects=self.connects)

    def absorb(self, trial: Reading, *, new: bool = False) -> None:
        """Take over the findings of a trial.

        :param new: only those at places that nothing was said of yet: the trial looked at what was looked at before.
        """
        told = {problem.place for problem in self.problems} if new else set()
        self.problems += [problem for problem in trial.problems if problem.place not in told]
        self.cause = self.cause or trial.cause
        for warning in trial.warnings:
            self.warn(warning.place, warning.message)

    def expand(self, scalar: Scalar, *, secret: bool = False) -> Expanded | None:
        """Return a scalar's text with its placeholders replaced, or None after reporting why not.

        :param secret: the text is one, so that what only looks like the name of a variable is not repeated.
        """
        return self.expand_text(scalar.text, scalar.place, secret=secret)

    def expand_text(self, text: str, place: Place, *, lines: bool = False, secret: bool = False) -> Expanded | None:
        """Expand a text, as :meth:`expand` does.

        :param lines: the text is a file of its own, so that a problem's line is counted in it.
        """
        expanded = expand(text, self.variables.lookup)
        for fault in expanded.faults:
            if lines:
                before = text[: fault.offset]
                column = fault.offset - (before.rfind("\n") + 1) + 1
                place = attrs.evolve(place, line=before.count("\n") + 1, column=column)
            if fault.name is not None and not _may_be_named(fault.name, place, secret=secret):
                message = "the variable that the placeholder names is not set"
                self.problem(place, message, code=UNSET, remedy="set it, or write $${ where the text itself is meant")
            elif fault.name is None:
                self.problem(place, fault.reason, remedy="write $${ where the text itself is meant")
            else:
                remedy = f"give --param {fault.name}=VALUE, set the variable {fault.name}, or write a default"
                self.problem(place, fault.reason, code=UNSET, remedy=f"{remedy}: ${{{fault.name}:-VALUE}}")
        return None if expanded.faults else expanded


def _may_be_named(name: str, place: Place, *, secret: bool) -> bool:
    if reads_like_a_variable(name):
        return True
    return not secret and may_be_told(name, place.path)
