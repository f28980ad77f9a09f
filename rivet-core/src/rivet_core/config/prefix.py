"""The placeholders of a destination's prefix, and which exports would write to one place."""

from __future__ import annotations

import os
import posixpath
import re
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.config.suggestions import closest
from rivet_core.types import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rivet_core.hookspecs import DestinationType

_TOKEN: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
#: What can stand in braces. ``{table}`` is another word for ``{export}``.
TOKENS: Final = ("date", "export", "table", "run_id")


def resolve_prefix(template: str, *, export: str, started: datetime, run_id: str | None = None) -> str:
    """Return a prefix with its placeholders replaced; other words in braces stay as they are.

    :param template: such as ``raw/{export}/{date}/``.
    :param export: the export's name, for ``{export}`` and ``{table}``.
    :param started: the run's frozen clock, aware; ``{date}`` is its day in UTC, as ``YYYY-MM-DD``.
    :param run_id: for ``{run_id}``, which stays as it is when there is none.
    """
    values = {"date": f"{started.astimezone(UTC):%Y-%m-%d}", "export": export, "table": export}
    if run_id is not None:
        values["run_id"] = run_id
    return _TOKEN.sub(lambda match: values.get(match[1], match[0]), template)


def unknown_tokens(template: str) -> tuple[tuple[str, str | None], ...]:
    """Return the words in braces that stand for nothing, each with the one that was probably meant."""
    found = dict.fromkeys(match[1] for match in _TOKEN.finditer(template))
    # A run's prefix is chosen before its id, so the id stands for something only where a finished run is looked for.
    unknown = tuple((word, closest(word, TOKENS)) for word in found if word not in TOKENS)
    return (*unknown, ("run_id", None)) if "run_id" in found else unknown


def leaves_its_folder(template: str) -> bool:
    """Whether a prefix climbs out with ``..``."""
    return ".." in re.split(r"[/\\]", template)


def prefix_template(declaration: DestinationType, options: object) -> str:
    """Return the prefix template that a destination's options hold; empty when it has none."""
    held = getattr(options, declaration.prefix) if declaration.prefix is not None else None
    return "" if held is None else str(held)


@attrs.frozen(kw_only=True)
class Written:
    """Where an export writes to, also one with other problems."""

    export: str
    declaration: DestinationType
    options: Any
    template: str


def shared_prefixes(exports: Iterable[Written], clock: datetime) -> tuple[tuple[int, int, str], ...]:
    """Return the exports that resolve to a place which an earlier one has: both indices, and the prefix."""
    taken: dict[object, int] = {}
    shared: list[tuple[int, int, str]] = []
    for index, written in enumerate(exports):
        key = written.declaration.prefix
        if key is None:
            continue
        prefix = resolve_prefix(written.template, export=written.export, started=clock)
        # Two names of one folder, by a symbolic link, are one place.
        folder = isinstance(getattr(written.options, key), Path)
        there = os.path.realpath(prefix) if folder else posixpath.normpath(prefix)
        place = (written.declaration.kind, there, _address(written.declaration, written.options))
        first = taken.setdefault(place, index)
        if first != index:
            shared.append((first, index, prefix))
    return tuple(shared)


def _address(declaration: DestinationType, options: Any) -> tuple[tuple[str, object], ...]:
    """Return what else tells places apart: the options but for the prefix and for credentials."""
    return tuple(
        (field.name, value)
        for field in attrs.fields(type(options))
        if field.name != declaration.prefix
        and not field.name.endswith(("_env", "_file", "_profile", "_mb"))
        and isinstance(value := getattr(options, field.name), str | Path | int | None)
        and not isinstance(value, Secret | bool)
    )
