"""Checks what a plugin's hooks returned against the contract and against its own metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from rivet_core.errors import UsageError
from rivet_core.hookspecs import API_VERSION, DestinationType, FormatType, RunnerType, SourceType
from rivet_core.plugins.entries import Seam
from rivet_core.plugins.importing import broken, describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.plugins.entries import Entry

Declaration = SourceType | RunnerType | FormatType | DestinationType

#: Which hook returns the declarations of a seam, and their class.
HOOKS: Final[Mapping[Seam, tuple[str, type[Declaration]]]] = {
    Seam.SOURCE: ("rivet_sources", SourceType),
    Seam.RUNNER: ("rivet_runners", RunnerType),
    Seam.FORMAT: ("rivet_formats", FormatType),
    Seam.DESTINATION: ("rivet_destinations", DestinationType),
}


def check_declarations(entry: Entry, seam: Seam, results: Iterable[object]) -> dict[tuple[Seam, str], Declaration]:
    """Return one hook's declarations by seam and kind.

    :param results: what the hook calls returned, one iterable each.
    :raises RivetError: ``RIVET_PLUGIN_BROKEN``, ``RIVET_PLUGIN_API_MISMATCH`` or ``RIVET_PLUGIN_DUPLICATE``.
    """
    hook, wanted = HOOKS[seam]
    found: dict[tuple[Seam, str], Declaration] = {}
    for result in results:
        try:
            declarations = tuple(result)  # type: ignore[arg-type, var-annotated]  # a stranger returns anything
        except Exception as error:
            raise broken(entry, f"{hook} did not return declarations: {describe(error)}") from error
        for declaration in declarations:
            if getattr(declaration, "api", API_VERSION) != API_VERSION:
                msg = (
                    f"{entry.origin} was written for version {declaration.api} of the plugin contract, and this rivet "
                    f"has version {API_VERSION}"
                )
                raise UsageError(
                    msg,
                    code="RIVET_PLUGIN_API_MISMATCH",
                    remedy=f"install versions of {entry.distribution} and rivet-core that fit each other",
                )
            if not isinstance(declaration, wanted):
                raise broken(entry, f"{hook} returned {type(declaration).__name__}, not {wanted.__name__}")
            _check_options(entry, declaration)
            key = (seam, declaration.kind)
            if key in found:
                msg = f"{entry.origin} declares {seam} {declaration.kind} twice"
                raise UsageError(
                    msg,
                    code="RIVET_PLUGIN_DUPLICATE",
                    remedy=f"upgrade or remove {entry.distribution}",
                )
            found[key] = declaration
    return found


def check_against_entries(entries: Iterable[Entry], declared: Iterable[tuple[Seam, str]], *, observes: bool) -> None:
    """Refuse a plugin whose metadata and declarations name different kinds.

    :param entries: every entry that names the plugin, at least one.
    :param observes: whether it implements ``rivet_on_event``.
    :raises EnvironmentFailure: ``RIVET_PLUGIN_BROKEN``.
    """
    entries = tuple(entries)
    declared = set(declared)
    named = {(entry.seam, entry.kind): entry for entry in entries}
    for (seam, kind), entry in named.items():
        if seam is Seam.OBSERVER:
            if not observes:
                raise broken(entry, "it implements no rivet_on_event; is the function marked with @hookimpl?")
        elif seam is not None and (seam, kind) not in declared:
            kinds = ", ".join(sorted(other for place, other in declared if place is seam))
            hint = f"it declares {kinds}" if kinds else f"is {HOOKS[seam][0]} there and marked with @hookimpl?"
            raise broken(entry, f"it declares no {seam} {kind}: {hint}")
    for seam, kind in sorted(declared - set(named)):
        raise broken(entries[0], f'it declares {seam} {kind} without an entry point "{seam}.{kind}" to find it by')


def _check_options(entry: Entry, declaration: Declaration) -> None:
    if not attrs.has(declaration.options):
        raise broken(entry, f"the options of {declaration.kind} are not an attrs class")
    names = {field.alias for field in attrs.fields(declaration.options)}
    wanted = set(getattr(declaration, "flat", ()))
    if isinstance(declaration, DestinationType) and declaration.prefix is not None:
        wanted.add(declaration.prefix)
    if missing := sorted(wanted - names):
        raise broken(entry, f"{declaration.kind} names options that its class does not have: {', '.join(missing)}")
