"""Registers one plugin object with pluggy, checks it, and asks it for its declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

import attrs
import pluggy

from rivet_core.hookspecs import PROJECT, specs
from rivet_core.plugins.declared import HOOKS, Declaration, check_against_entries, check_declarations
from rivet_core.plugins.importing import broken, describe
from rivet_core.plugins.tracing import trace_calls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.plugins.entries import Entry, Seam


@attrs.frozen(kw_only=True)
class Adopted:
    """A plugin that keeps the contract.

    :param entry: for messages.
    :param registered: it came as an object, and no metadata names it.
    :param observe: the call of its ``rivet_on_event``, or None.
    """

    entry: Entry
    registered: bool
    declarations: Mapping[tuple[Seam, str], Declaration]
    observe: pluggy.HookCaller | None


def adopt(entry: Entry, entries: Iterable[Entry], plugin: object, *, trace: TextIO | None) -> Adopted:
    """Return a plugin's declarations and its observer.

    :param entries: everything that the metadata says of it; empty for a plugin that no metadata names.
    :raises RivetError: ``RIVET_PLUGIN_BROKEN``, ``RIVET_PLUGIN_API_MISMATCH`` or ``RIVET_PLUGIN_DUPLICATE``.
    """
    # A manager for each plugin: what a call returns is then known to be this plugin's own answer, and a plugin that
    # breaks the contract leaves nothing behind.
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(specs)
    if trace is not None:
        trace_calls(manager, trace)
    try:
        manager.register(plugin, entry.target)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        raise broken(entry, describe(error)) from error
    declarations: dict[tuple[Seam, str], Declaration] = {}
    for seam, (hook, _) in HOOKS.items():
        try:
            results = getattr(manager.hook, hook)()
        # A stranger's hook can raise anything; it is its plugin that is broken, not the command.
        except Exception as error:
            raise broken(entry, f"{hook} failed: {describe(error)}") from error
        declarations |= check_declarations(entry, seam, results)
    observe = manager.hook.rivet_on_event
    observes = bool(observe.get_hookimpls())
    named = tuple(entries)
    if named:
        check_against_entries(named, declarations, observes=observes)
    return Adopted(entry=entry, registered=not named, declarations=declarations, observe=observe if observes else None)
