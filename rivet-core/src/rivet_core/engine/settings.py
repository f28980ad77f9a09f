"""How one command wants its exports to run; nothing of this is part of a plan."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import attrs

from rivet_core.ledger.points import Probe, ignore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rivet_core.engine.producer import MakeProducer
    from rivet_core.events import Event


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _unobserved(event: Event) -> None:
    del event


@attrs.frozen(kw_only=True)
class Settings:
    """The circumstances of a command.

    :param lock_wait_seconds: how long to wait for another process's lease.
    :param fresh: abandon an unfinished run instead of resuming it.
    :param reconcile: let the source count each unit, and compare.
    :param staging: where parts are made when the destination offers no folder of its own; None is the system's.
    :param foreign_state: the Rust tool's state file, if it may lie beside the configuration.
    :param observe: called with every event, from any thread.
    :param stop: set to end the run early; units end at their next restart point or are cancelled.
    :param probe: called at the named points of the durable order.
    :param make_producer: for executors that read units elsewhere; None reads them in this process.
    """

    lock_wait_seconds: float = 600.0
    fresh: bool = False
    reconcile: bool = False
    staging: Path | None = None
    foreign_state: Path | None = None
    observe: Callable[[Event], None] = _unobserved
    clock: Callable[[], datetime] = _utc_now
    stop: threading.Event = attrs.field(factory=threading.Event)
    probe: Probe = ignore
    make_producer: MakeProducer | None = None
