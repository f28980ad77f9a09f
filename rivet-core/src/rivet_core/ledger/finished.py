"""What the sink hands to the ledger: finished local files, and the points at which they may be recorded."""

from __future__ import annotations

from pathlib import Path

import attrs

from rivet_core.manifest.counters import PartCounters
from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class FinishedPart:
    """A complete, synced local file; it pickles, so that a worker process can make it.

    :param dataset: which of the run's outputs.
    :param path: the file; the ledger may move it away, and removes it after it was put.
    :param size: bytes.
    :param fingerprint: ``xxh3:`` and 16 hex digits of the file's bytes.
    :param md5: base64 MD5 of the file's bytes.
    """

    dataset: str
    path: Path
    size: int
    fingerprint: str
    md5: str
    counters: PartCounters


@attrs.frozen(kw_only=True)
class RestartPoint:
    """Every row of the unit up to here lies in the finished parts before this value.

    :param mark: read on after it; None where the unit has no marks.
    :param done: the unit is complete.
    :param roll: the roll ends here: seal it before more is read.
    """

    mark: Position | None = None
    done: bool = False
    roll: bool = False


Produced = FinishedPart | RestartPoint
