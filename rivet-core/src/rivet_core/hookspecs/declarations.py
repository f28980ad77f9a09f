"""The declarations that plugins return: kind, options, capabilities, factory; nothing that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.capabilities import (
    DestinationCapabilities,
    FormatCapabilities,
    RunnerCapabilities,
    SourceCapabilities,
)
from rivet_core.requests import Intent
from rivet_core.types import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rivet_core.errors import RivetError
    from rivet_core.protocols import Destination, Format, Runner, Source

#: The contract's version; a declaration of another one is refused.
API_VERSION: Final = 1


def _finds_nothing(options: Any) -> Iterable[RivetError]:
    del options
    return ()


def _refuses_nothing(query: str) -> None:
    del query


@attrs.frozen(kw_only=True)
class SourceType:
    """A kind of source.

    :param options: frozen attrs class of the options, without ``type``; fields that are secret have the type
        :class:`~rivet_core.types.Secret`.
    :param factory: makes a closed source of an options value; must pickle with it for other processes.
    :param schemes: URL schemes of ``url:`` that mean this kind.
    :param check: returns what is wrong with an options value as far as that is known without connecting, such as a
        variable that is not set; each error's place has the path of its key, such as ``source.url``.
    :param check_query: raises a :class:`~rivet_core.errors.RivetError` for the text of a query that no server needs to
        be asked about, such as one without a statement.
    """

    kind: str
    options: type
    capabilities: SourceCapabilities
    factory: Callable[[Any], Source]
    schemes: tuple[str, ...] = ()
    check: Callable[[Any], Iterable[RivetError]] = _finds_nothing
    check_query: Callable[[str], None] = _refuses_nothing
    api: int = API_VERSION


@attrs.frozen(kw_only=True)
class DatasetSpec:
    """One output of a run.

    :param name: as in :class:`~rivet_core.protocols.Batch`; also its sub-prefix when not empty.
    :param relation: what ``describe`` is asked for its columns.
    """

    name: str
    relation: Relation


def _one_dataset(intent: Intent) -> tuple[DatasetSpec, ...]:
    return () if intent.relation is None else (DatasetSpec(name="", relation=intent.relation),)


def _accepts_all(intent: Intent, capabilities: SourceCapabilities) -> str | None:
    del intent, capabilities
    return None


@attrs.frozen(kw_only=True)
class RunnerType:
    """A kind of runner.

    :param mode: the word of ``mode:`` that it serves; several runners may serve one.
    :param accepts: returns None, or why this runner cannot serve the intent on a source with these capabilities.
    :param datasets: the run's outputs.
    :param flat: option names that users write at the export's own level.
    """

    kind: str
    mode: str
    options: type
    capabilities: RunnerCapabilities
    factory: Callable[[Any], Runner]
    accepts: Callable[[Intent, SourceCapabilities], str | None] = _accepts_all
    datasets: Callable[[Intent], tuple[DatasetSpec, ...]] = _one_dataset
    flat: tuple[str, ...] = ()
    api: int = API_VERSION


@attrs.frozen(kw_only=True)
class FormatType:
    """A kind of format; ``flat`` as in :class:`RunnerType`."""

    kind: str
    options: type
    capabilities: FormatCapabilities
    factory: Callable[[Any], Format]
    flat: tuple[str, ...] = ()
    api: int = API_VERSION


@attrs.frozen(kw_only=True)
class DestinationType:
    """A kind of destination.

    Options of the type :class:`pathlib.Path` are relative to the configuration file's folder; the core anchors them.

    :param prefix: the option (a string or a path) that holds the prefix template. The core resolves its placeholders
        before the factory is called, and the destination roots its keys there. None when there is no prefix.
    """

    kind: str
    options: type
    capabilities: DestinationCapabilities
    factory: Callable[[Any], Destination]
    prefix: str | None = "prefix"
    api: int = API_VERSION
