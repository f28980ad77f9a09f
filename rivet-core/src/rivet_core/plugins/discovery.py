"""The plugins of one process: an object to be passed around, never a global."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from threading import RLock
from typing import TYPE_CHECKING, TextIO, TypeVar, cast

import attrs

from rivet_core.errors import RivetError, UsageError
from rivet_core.hookspecs import DestinationType, FormatType, RunnerType, SourceType
from rivet_core.plugins.adopting import Adopted, adopt
from rivet_core.plugins.declared import Declaration
from rivet_core.plugins.entries import GROUP, Entry, Seam, read_entries, restrict
from rivet_core.plugins.importing import broken, describe, import_target
from rivet_core.plugins.listing import PluginRow, PluginState
from rivet_core.plugins.ours import missing_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rivet_core.events import Event

_D = TypeVar("_D", bound=Declaration)


class Plugins:
    """What is installed, asked by seam and kind; a module is imported when its kind is first asked for.

    Safe to use from several threads.

    :param entries: the index; :meth:`installed` reads it from the metadata.
    :param left_out: entries that exist and may not be used, for messages.
    :param trace: where every hook call is printed.
    """

    def __init__(
        self, entries: Iterable[Entry] = (), *, left_out: Iterable[Entry] = (), trace: TextIO | None = None
    ) -> None:
        self._entries = tuple(entries)
        self._left_out = tuple(left_out)
        self._loaded: dict[str, Adopted | RivetError] = {}
        self._lock = RLock()
        self._trace = trace

    @classmethod
    def installed(cls, environ: Mapping[str, str]) -> Plugins:
        """Return the plugins that the metadata names.

        :param environ: ``RIVET_PLUGINS`` restricts or empties the list, ``RIVET_TRACE_PLUGINS=1`` prints every hook
            call to standard error.
        """
        entries, left_out = restrict(read_entries(entry_points(group=GROUP)), environ.get("RIVET_PLUGINS"))
        trace = sys.stderr if environ.get("RIVET_TRACE_PLUGINS") == "1" else None
        return cls(entries, left_out=left_out, trace=trace)

    def register(self, plugin: object, *, name: str | None = None) -> None:
        """Add a plugin object that no metadata names, for tests and for built-in observers.

        :raises RivetError: when it breaks the contract, or declares a kind that is already there.
        """
        name = name or getattr(plugin, "__name__", None) or type(plugin).__name__
        entry = Entry(seam=None, kind=name, target=f"{name}:{id(plugin):x}", distribution=name, version="")
        with self._lock:
            loaded = adopt(entry, (), plugin, trace=self._trace)
            for seam, kind in loaded.declarations:
                if others := self._owners(seam, kind):
                    raise _duplicate(seam, kind, [*others, name])
            self._loaded[entry.target] = loaded

    # -- the hooks, typed -----------------------------------------------------

    def source_type(self, kind: str) -> SourceType:
        """Return the declaration of a kind of source.

        :raises RivetError: ``RIVET_PLUGIN_MISSING``, ``_DUPLICATE``, ``_BROKEN`` or ``_API_MISMATCH``.
        """
        return self._one(Seam.SOURCE, kind, SourceType)

    def format_type(self, kind: str) -> FormatType:
        """Return the declaration of a kind of format; raises as :meth:`source_type`."""
        return self._one(Seam.FORMAT, kind, FormatType)

    def destination_type(self, kind: str) -> DestinationType:
        """Return the declaration of a kind of destination; raises as :meth:`source_type`."""
        return self._one(Seam.DESTINATION, kind, DestinationType)

    def runner_types(self, mode: str) -> tuple[RunnerType, ...]:
        """Return every runner that serves a mode, at least one, ordered by kind; raises as :meth:`source_type`.

        A runner's mode is known only once its module is imported. So the runner that is named as the mode is asked
        first, and the others too, except where their module also offers a source that nobody has asked for: those
        serve their own source only, and nobody pays for three databases to use one.
        """
        with self._lock:
            found: dict[str, RunnerType] = {}
            failures: list[str] = []
            for kind, registered in self._registered(Seam.RUNNER):
                found[kind] = cast("RunnerType", registered)
            for entry in self._entries:
                if entry.seam is not Seam.RUNNER or (entry.kind != mode and self._serves_unused_source(entry)):
                    continue
                try:
                    found[entry.kind] = self._one(Seam.RUNNER, entry.kind, RunnerType)
                except RivetError as error:
                    if entry.kind == mode:
                        raise
                    failures.append(error.message)
        serving = [runner for _, runner in sorted(found.items()) if runner.mode == mode]
        if serving:
            return tuple(serving)
        raise missing_kind(
            Seam.RUNNER,
            mode,
            installed=(runner.mode for runner in found.values()),
            hidden=self._hidden(Seam.RUNNER, mode),
            broken=failures,
        )

    def load_observers(self) -> tuple[RivetError, ...]:
        """Import every ``observer.*`` plugin, before anything runs; return the errors of those that cannot be used."""
        failures = []
        for entry in self._entries:
            if entry.seam is Seam.OBSERVER:
                try:
                    self._load(entry)
                except RivetError as error:
                    failures.append(error)
                    _warn("observer_unusable", plugin=entry.name, origin=entry.origin, error=error.message)
        return tuple(failures)

    def notify(self, event: Event) -> None:
        """Tell every loaded observer; what one raises is logged and concerns nobody else."""
        for loaded in tuple(self._loaded.values()):
            if isinstance(loaded, RivetError) or loaded.observe is None:
                continue
            try:
                loaded.observe(event=event)
            # An observer cannot veto, whatever it raises.
            except Exception as error:  # noqa: BLE001
                entry = loaded.entry
                _warn(
                    "observer_failed",
                    plugin=entry.name,
                    origin=entry.origin,
                    event_kind=type(event).__name__,
                    error=describe(error),
                )

    def listing(self, *, load: bool = False) -> tuple[PluginRow, ...]:
        """Return what is installed, ordered by seam and kind.

        :param load: import everything first, so that the broken ones show.
        """
        if load:
            for entry in self._entries:
                try:
                    self._load(entry)
                except RivetError:  # remembered, and shown in the row
                    continue
        rows = [self._row(entry) for entry in self._entries]
        rows += [_row(entry, PluginState.LEFT_OUT, "RIVET_PLUGINS does not name it") for entry in self._left_out]
        for registered in self._registrations():
            rows += [
                _row(attrs.evolve(registered.entry, seam=seam, kind=kind), PluginState.LOADED)
                for seam, kind in registered.declarations
            ]
        return tuple(sorted(rows, key=lambda row: (row.seam, row.kind, row.distribution)))

    # -- how ------------------------------------------------------------------

    def _one(self, seam: Seam, kind: str, wanted: type[_D]) -> _D:
        with self._lock:
            owners = self._owners(seam, kind)
            if len(owners) > 1:
                raise _duplicate(seam, kind, owners)
            for entry in self._entries:
                if (entry.seam, entry.kind) == (seam, kind):
                    return cast("_D", self._load(entry).declarations[seam, kind])
            for name, declaration in self._registered(seam):
                if name == kind and isinstance(declaration, wanted):
                    return declaration
            installed = {entry.kind for entry in self._entries if entry.seam is seam}
            installed |= {name for name, _ in self._registered(seam)}
            raise missing_kind(seam, kind, installed=installed, hidden=self._hidden(seam, kind))

    def _owners(self, seam: Seam, kind: str) -> list[str]:
        """Return who offers a kind: the metadata's distributions, and registered plugins."""
        owners = [entry.origin for entry in self._entries if (entry.seam, entry.kind) == (seam, kind)]
        return owners + [one.entry.origin for one in self._registrations() if (seam, kind) in one.declarations]

    def _registrations(self) -> list[Adopted]:
        """Return the plugins that came by :meth:`register`."""
        loaded = [one for one in tuple(self._loaded.values()) if isinstance(one, Adopted)]
        return [one for one in loaded if one.registered]

    def _registered(self, seam: Seam) -> list[tuple[str, Declaration]]:
        return [
            (kind, declaration)
            for one in self._registrations()
            for (place, kind), declaration in one.declarations.items()
            if place is seam
        ]

    def _hidden(self, seam: Seam, kind: str) -> list[Entry]:
        return [entry for entry in self._left_out if (entry.seam, entry.kind) == (seam, kind)]

    def _serves_unused_source(self, entry: Entry) -> bool:
        return entry.target not in self._loaded and any(
            other.target == entry.target and other.seam is Seam.SOURCE for other in self._entries
        )

    def _load(self, entry: Entry) -> Adopted:
        """Import and register an entry's plugin once; a failure is remembered and raised again."""
        with self._lock:
            known = self._loaded.get(entry.target)
            if known is None:
                if entry.seam is None:
                    reason = f"its entry point {entry.kind!r} is not named seam.kind (seams: {', '.join(Seam)})"
                    known = broken(entry, reason)
                else:
                    entries = tuple(
                        other for other in self._entries if other.target == entry.target and other.seam is not None
                    )
                    try:
                        known = adopt(entry, entries, import_target(entry), trace=self._trace)
                    except RivetError as error:
                        known = error
                    self._loaded[entry.target] = known
        if isinstance(known, RivetError):
            raise known
        return known

    def _row(self, entry: Entry) -> PluginRow:
        known = self._loaded.get(entry.target)
        if entry.seam is None:
            return _row(entry, PluginState.BROKEN, f"the entry point is not named seam.kind (seams: {', '.join(Seam)})")
        if isinstance(known, RivetError):
            return _row(entry, PluginState.BROKEN, known.message)
        others = [owner for owner in self._owners(entry.seam, entry.kind) if owner != entry.origin]
        if others:
            return _row(entry, PluginState.BROKEN, f"also offered by {', '.join(others)}")
        return _row(entry, PluginState.NOT_LOADED if known is None else PluginState.LOADED)


def _warn(event: str, **values: str) -> None:
    # Not at the top: listing plugins needs no log, and this import is the dearest of them all.
    import structlog

    structlog.get_logger(__name__).warning(event, **values)


def _row(entry: Entry, state: PluginState, reason: str = "") -> PluginRow:
    return PluginRow(
        seam=entry.seam or "",
        kind=entry.kind,
        distribution=entry.distribution,
        version=entry.version,
        module=entry.target.partition(":")[0],
        state=state,
        reason=reason,
    )


def _duplicate(seam: Seam, kind: str, owners: Iterable[str]) -> UsageError:
    return UsageError(
        f"{' and '.join(sorted(owners))} all offer the {seam} {kind!r}",
        code="RIVET_PLUGIN_DUPLICATE",
        remedy="uninstall all but one, or name the wanted distributions in RIVET_PLUGINS",
    )
