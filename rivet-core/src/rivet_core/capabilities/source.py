"""Capabilities of a source."""

from __future__ import annotations

from enum import Enum

import attrs


class Restart(Enum):
    """From where a read that broke off can begin again."""

    #: From the unit's start.
    UNIT = "unit"
    #: From the last mark.
    MARK = "mark"
    #: Not at all: one attempt, no resume.
    NEVER = "never"


class SnapshotSupport(Enum):
    """Whether several connections can read one consistent state."""

    NONE = "none"
    #: Connections of one process.
    PROCESS = "process"
    #: The handle travels to other processes.
    TRAVELS = "travels"


@attrs.frozen(kw_only=True)
class SourceCapabilities:
    """What a source can do.

    :param ordered: reads can be ordered, sought by key and limited.
    :param queries: the relation may be a user's statement.
    :param folds_names: a table's name without quotes means its lower-case letters, as in the server's own statements.
    :param snapshot: see :class:`SnapshotSupport`; not ``NONE`` means that the source is a
        :class:`~rivet_core.protocols.SnapshotSource`.
    :param estimates: ``describe`` knows row estimates.
    :param relations: it lists what it has and is a :class:`~rivet_core.protocols.CatalogueSource`.
    :param changes: it captures changes and is a :class:`~rivet_core.protocols.ChangeSource`.
    :param pressure: it tells how hard its server works and is a :class:`~rivet_core.protocols.PressureSource`.
    :param ranges: the kinds of :class:`~rivet_core.requests.SourceRange` that it understands.
    """

    restart: Restart = Restart.UNIT
    ordered: bool = True
    queries: bool = True
    folds_names: bool = False
    snapshot: SnapshotSupport = SnapshotSupport.NONE
    estimates: bool = False
    relations: bool = False
    changes: bool = False
    pressure: bool = False
    ranges: tuple[str, ...] = ()
