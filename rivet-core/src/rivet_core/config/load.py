"""From a file to a configuration: the only road, so that nothing is checked by one command and not by another."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from rivet_core.config.configuration import Configuration, Notifications
from rivet_core.config.elsewhere import stray_key, telling
from rivet_core.config.exports import ReadExport, read_export
from rivet_core.config.keys import RootKeys
from rivet_core.config.nodes import MAX_BYTES, Items, Keyed, compose
from rivet_core.config.pending import report_pending
from rivet_core.config.placeholders import Variables
from rivet_core.config.places import Places
from rivet_core.config.prefix import shared_prefixes
from rivet_core.config.problems import ConfigurationInvalid
from rivet_core.config.reading import Reading
from rivet_core.config.showing import shown
from rivet_core.config.source import check_source, read_source
from rivet_core.config.structure import WRONG, structure_class
from rivet_core.errors import EnvironmentFailure, Place
from rivet_core.types.text_file import TextUnreadable, read_text_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rivet_core.config.keys import NotificationKeys
    from rivet_core.config.kinds import Kinds
    from rivet_core.config.nodes import Entry, Node


def load(
    path: Path | str,
    kinds: Kinds,
    *,
    params: Mapping[str, str],
    environ: Mapping[str, str],
    clock: datetime | None = None,
    connects: bool = False,
) -> Configuration:
    """Read a configuration file.

    :param params: values of ``--param``, which go before the environment.
    :param clock: resolves ``{date}`` when exports are compared; now, when it is not given.
    :param connects: the exports are going to be run or planned, so that what that takes is checked, too: variables and
        files of secrets, the address, and what the destination can confirm.
    :raises EnvironmentFailure: ``RIVET_CONFIG_FILE_UNREADABLE``.
    :raises ConfigurationInvalid: with every problem of the file.
    """
    file = str(path)
    try:
        text = read_text_file(path, limit=MAX_BYTES)
    except TextUnreadable as error:
        msg = f"the configuration file cannot be read: {error.reason}"
        remedy = "name a text file in UTF-8 that this user may read"
        raise EnvironmentFailure(
            msg, code="RIVET_CONFIG_FILE_UNREADABLE", place=Place(file=file), remedy=remedy
        ) from error
    # Without the ``..`` of a path that the user typed, which no path in the file climbs out by.
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - pathlib keeps them, or follows links
    return parse(text, kinds, path=whole, file=file, params=params, environ=environ, clock=clock, connects=connects)


def parse(
    text: str,
    kinds: Kinds,
    *,
    path: Path,
    file: str,
    params: Mapping[str, str],
    environ: Mapping[str, str],
    clock: datetime | None = None,
    connects: bool = False,
) -> Configuration:
    """Read a configuration's text, as :func:`load` does.

    :param path: where the text lies, absolute; relative paths in it belong to that folder.
    :param file: its name in messages.
    """
    root, problems = compose(text, file=file)
    variables = Variables(params, environ)
    reading = Reading(folder=path.parent, variables=variables, connects=connects, problems=problems)
    start = Place(file=file, line=1, column=1)
    configuration = None
    if isinstance(root, Keyed):
        configuration = _read(root, kinds, reading, path, file, clock or datetime.now(UTC))
        for name in variables.unused:
            reading.warn(Place(file=file), f"--param {name} is not used by the file")
    else:
        reading.problem(start, "the file must be a mapping", remedy="start with source: and exports:")
    if reading.problems or configuration is None:
        raise ConfigurationInvalid(reading.problems) from reading.cause
    return attrs.evolve(configuration, warnings=tuple(reading.warnings))


def _read(root: Keyed, kinds: Kinds, reading: Reading, path: Path, file: str, clock: datetime) -> Configuration | None:
    def stray(entry: Entry, known: tuple[str, ...]) -> None:
        reading.problems.append(stray_key(entry, known))

    root = telling(root, ())
    keys = structure_class(RootKeys, root, reading, stray=stray)
    source_entry, exports_entry = root.get("source"), root.get("exports")
    source = read_source(source_entry.value, kinds, reading) if source_entry else None
    if source is not None and reading.connects:
        check_source(source, Places(root), reading)
    nodes = _exports(exports_entry.value, reading) if exports_entry else ()
    exports = [read_export(node, source, kinds, reading) for node in nodes]
    _check_names(nodes, reading)
    _check_prefixes([export for export in exports if export is not None], clock, reading)
    intents = tuple(export.intent for export in exports if export is not None and export.intent is not None)
    report_pending(root, nodes, source, reading)
    if keys is WRONG or source is None or source.chosen is None or len(intents) < len(exports):
        return None
    return Configuration(
        path=path,
        file=file,
        source=source.chosen,
        exports=intents,
        parallel_exports=keys.parallel_exports,
        notifications=_notifications(keys.notifications),
        places=Places(root, tuple(intent.name for intent in intents)),
    )


def _exports(node: Node, reading: Reading) -> tuple[Node, ...]:
    if isinstance(node, Items) and node.items:
        return node.items
    message = "'exports' must be a list of at least one export"
    remedy = "write exports: and below it - name: …"
    reading.problem(node.place, message, code="RIVET_CONFIG_NO_EXPORTS", remedy=remedy)
    return ()


def _check_names(nodes: tuple[Node, ...], reading: Reading) -> None:
    """Report names that are given twice, also of exports that have other problems."""
    first: dict[str, int | None] = {}
    for node in nodes:
        entry = node.get("name") if isinstance(node, Keyed) else None
        expanded = None
        if entry is not None and not isinstance(entry.value, Keyed | Items):
            expanded = reading.trial().expand(entry.value)
        if entry is None or expanded is None:
            continue
        if expanded.text in first:
            message = f"two exports have the name {shown(expanded.text)}, the first on line {first[expanded.text]}"
            remedy = "rename one of them: the state knows exports by name"
            reading.problem(entry.value.place, message, code="RIVET_CONFIG_DUPLICATE_EXPORT", remedy=remedy)
        first.setdefault(expanded.text, entry.value.place.line)


def _check_prefixes(exports: list[ReadExport], clock: datetime, reading: Reading) -> None:
    writing = [(export.node, export.written) for export in exports if export.written is not None]
    for first, second, prefix in shared_prefixes([written for _, written in writing], clock):
        node = writing[second][0]
        entry = node.get("destination")
        message = f"this export and {shown(writing[first][1].export)} write to one place, {shown(prefix)}"
        reading.problem(
            entry.value.place if entry else node.place,
            message,
            code="RIVET_CONFIG_PREFIX_SHARED",
            remedy="put {export} into the prefix, or give each export a prefix of its own",
        )


def _notifications(keys: NotificationKeys | None) -> Notifications | None:
    if keys is None or keys.slack is None:
        return None
    return Notifications(webhook=keys.slack.webhook_url, webhook_env=keys.slack.webhook_url_env, on=keys.slack.on)
