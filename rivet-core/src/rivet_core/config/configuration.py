"""A whole configuration file as a value."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rivet_core.config.places import Places
from rivet_core.config.problems import ConfigWarning
from rivet_core.config.suggestions import suggest
from rivet_core.errors import Place, UsageError
from rivet_core.requests import Chosen, Intent
from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable


@attrs.frozen(kw_only=True)
class Notifications:
    """Whom to tell by Slack, and of what; exactly one of the two addresses is given.

    :param webhook_env: the variable that holds the address.
    :param on: ``failure``, ``schema_change``, ``degraded``.
    """

    webhook: Secret | None
    webhook_env: str | None
    on: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Configuration:
    """What a file says; nothing is connected yet.

    :param path: the file, absolute; state and relative paths belong to its folder.
    :param file: the file as its user named it, for messages.
    :param source: as the file gives it; each export's own tuning is already in the source of its intent.
    :param places: the file's lines, for errors that are found later.
    :param parallel_exports: run the exports beside each other.
    """

    path: Path
    file: str
    source: Chosen
    exports: tuple[Intent, ...]
    warnings: tuple[ConfigWarning, ...] = ()
    parallel_exports: bool = False
    notifications: Notifications | None = None
    places: Places = attrs.field(repr=False, eq=False)

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.path.parent

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the exports, in the order of the file."""
        return tuple(intent.name for intent in self.exports)

    def warnings_about(self, intents: Iterable[Intent]) -> tuple[ConfigWarning, ...]:
        """Return the warnings without those about exports that are left out."""
        chosen = {intent.name for intent in intents}
        left_out = {f"exports[{number}]" for number, name in enumerate(self.names) if name not in chosen}
        return tuple(one for one in self.warnings if (one.place.path or "").partition(".")[0] not in left_out)

    def chosen(self, names: Iterable[str]) -> tuple[Intent, ...]:
        """Return the named exports in the order of the file, or all when none is named.

        :raises UsageError: ``RIVET_CLI_EXPORT_UNKNOWN``.
        """
        wanted = tuple(names)
        for name in wanted:
            if name not in self.names:
                msg = f"there is no export {name!r}"
                raise UsageError(
                    msg,
                    code="RIVET_CLI_EXPORT_UNKNOWN",
                    place=Place(file=self.file, path="exports"),
                    remedy=suggest(name, self.names),
                )
        return tuple(intent for intent in self.exports if not wanted or intent.name in wanted)
