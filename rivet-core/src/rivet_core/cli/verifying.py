"""Verifies what an export wrote: which prefix, which datasets below it, and what reads their parts."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import attrs

from rivet_core.config import resolve_prefix
from rivet_core.engine.validation import find_datasets, validate
from rivet_core.errors import Place, RivetError, UsageError
from rivet_core.protocols import ReadableFormat

if TYPE_CHECKING:
    from rivet_core.cli.loading import Loaded
    from rivet_core.manifest.report import Depth, Verification
    from rivet_core.plugins import Plugins
    from rivet_core.requests import Intent


@attrs.frozen(kw_only=True)
class Verified:
    """One dataset and what was found.

    :param prefix: the dataset's address.
    """

    export: str
    prefix: str
    verification: Verification


@attrs.frozen(kw_only=True)
class Wanted:
    """What to verify, and how deep.

    :param prefix: takes the place of the configured one.
    :param date: stands for ``{date}``; now when it is None.
    :param run_id: this run's own manifest instead of the canonical one.
    """

    depth: Depth
    prefix: str | None = None
    date: datetime | None = None
    run_id: str | None = None


def verify_export(loaded: Loaded, intent: Intent, wanted: Wanted) -> tuple[Verified, ...]:
    """Verify every dataset of an export's prefix.

    :raises UsageError: when the destination cannot be read again.
    :raises RivetError: what the destination raises when it is opened.
    """
    declarations = loaded.declarations(intent)
    if not declarations.destination.capabilities.readable:
        msg = f"export {intent.name} writes to {intent.destination.kind}, which cannot be read again"
        raise UsageError(
            msg,
            code="RIVET_CLI_OPTION_UNSUPPORTED",
            place=Place(path=f"exports.{intent.name}.destination"),
            remedy="leave it out with -e, or give it a destination that keeps what it gets",
        )
    template = intent.prefix if wanted.prefix is None else wanted.prefix
    started = wanted.date or datetime.now(UTC)
    prefix = resolve_prefix(template, export=intent.name, started=started, run_id=wanted.run_id)
    with closing(declarations.open_destination(intent, prefix)) as destination:
        if wanted.run_id is not None or wanted.depth.value == "light":
            datasets: tuple[str, ...] = ("",)
        else:
            datasets = find_datasets(destination) or ("",)
        return tuple(
            Verified(
                export=intent.name,
                prefix=f"{destination.uri()}{dataset}",
                verification=validate(
                    destination,
                    depth=wanted.depth,
                    reader_of=lambda word: part_reader(loaded.plugins, intent, word),
                    prefix=dataset,
                    run_id=wanted.run_id,
                    content=intent.verify == "content",
                    # Whoever names another prefix may well mean another export's.
                    export=intent.name if wanted.prefix is None else None,
                ),
            )
            for dataset in datasets
        )


def part_reader(plugins: Plugins, intent: Intent, word: str) -> ReadableFormat | None:
    """Return what reads parts of a manifest's format, or None when nothing installed does."""
    try:
        declaration = plugins.format_type(word)
    except RivetError:
        return None
    if not declaration.capabilities.readable:
        return None
    options = intent.format.options if word == intent.format.kind else declaration.options()
    made = declaration.factory(options)
    return made if isinstance(made, ReadableFormat) else None
