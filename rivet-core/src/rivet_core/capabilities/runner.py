"""Capabilities of a runner."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class RollPolicy:
    """When a long stream is sealed in between: at the first mark after so many rows or bytes."""

    rows: int = 100_000
    bytes: int = 256 * 1024 * 1024


@attrs.frozen(kw_only=True)
class RunnerCapabilities:
    """What a runner's runs are like.

    :param positioned: a successful run moves the export's position to its last mark.
    :param whole_relation: every run delivers the whole relation.
    :param snapshot: its units are only valid in one shared snapshot; when that is gone the run is started anew.
    :param rolls: the stream of its single unit is sealed roll by roll.
    :param changes: it delivers changes, so its manifests have the mode ``cdc``.
    :param parallel: its units may be read at one time.
    """

    positioned: bool = False
    whole_relation: bool = True
    snapshot: bool = False
    rolls: RollPolicy | None = None
    changes: bool = False
    parallel: bool = True
