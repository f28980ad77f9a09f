"""From the options of a command to the configuration, the exports it is about, and the plugins they use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rivet_core.cli.logs import configure_logs
from rivet_core.cli.printing import tell
from rivet_core.config import Configuration, load, read_params
from rivet_core.engine.declarations import Declarations
from rivet_core.plugins import Plugins
from rivet_core.state import state_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.cli.invocation import Invocation
    from rivet_core.requests import Intent


@attrs.frozen(kw_only=True)
class Loaded:
    """A configuration, the exports of it that a command is about, and the installed plugins.

    :param given: the configuration file as its user named it.
    """

    given: str
    configuration: Configuration
    intents: tuple[Intent, ...]
    plugins: Plugins

    def declarations(self, intent: Intent) -> Declarations:
        """Return what the plugins offer for an export."""
        return Declarations(
            source=self.plugins.source_type(intent.source.kind),
            runners=self.plugins.runner_types(intent.mode.kind),
            format=self.plugins.format_type(intent.format.kind),
            destination=self.plugins.destination_type(intent.destination.kind),
        )

    def state_file(self, invocation: Invocation) -> Path:
        """Return where the state lies."""
        return state_path(self.configuration.path, invocation.environ)


def load_exports(
    invocation: Invocation,
    config: str,
    *,
    exports: Iterable[str] = (),
    params: Iterable[str] = (),
    strict: bool = False,
    connects: bool = False,
) -> Loaded:
    """Read the configuration; its warnings are printed.

    :param exports: the wanted ones; none for all.
    :param strict: refuse columns that do not arrive as exact or compatible values.
    :param connects: the command is going to read the source.
    :raises RivetError: with everything that is wrong.
    """
    configure_logs(invocation)
    plugins = Plugins.installed(invocation.environ)
    configuration = load(config, plugins, params=read_params(params), environ=invocation.environ, connects=connects)
    invocation.places = configuration.places
    intents = configuration.chosen(exports)
    configuration = attrs.evolve(configuration, warnings=configuration.warnings_about(intents))
    if strict:
        intents = tuple(attrs.evolve(intent, strict=True) for intent in intents)
    if not invocation.quiet:
        for warning in configuration.warnings:
            tell(f"Warning: {warning}")
    return Loaded(given=config, configuration=configuration, intents=intents, plugins=plugins)
