"""What every step of the ledger needs: the state, the destination, the fence, the clock."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from rivet_core.ledger.points import Probe, ignore
from rivet_core.state import _writes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from rivet_core.capabilities import DestinationCapabilities
    from rivet_core.events import Event
    from rivet_core.ledger.lease import Fence
    from rivet_core.protocols import Destination
    from rivet_core.state import StateDatabase


@attrs.frozen(kw_only=True)
class LedgerAccess:
    """Open things, borrowed for the length of one run; whoever opened them closes them.

    :param put_attempts: how often a call of the destination is tried when its verdict allows that.
    :param put_backoff_seconds: the first wait.
    :param stop: set when the run is asked to stop; no wait outlives it.
    """

    database: StateDatabase
    destination: Destination
    capabilities: DestinationCapabilities
    fence: Fence
    clock: Callable[[], datetime]
    probe: Probe = ignore
    put_attempts: int = 4
    put_backoff_seconds: float = 1.0
    stop: threading.Event = attrs.field(factory=threading.Event, repr=False)
    _pending: list[tuple[str, str, str]] = attrs.field(factory=list, init=False, repr=False)
    _pending_lock: threading.Lock = attrs.field(factory=threading.Lock, init=False, repr=False)

    def now(self) -> str:
        """Return the clock as state text."""
        return self.clock().isoformat()

    def note(self, event: Event) -> None:
        """Let an event enter the run's journal with the next durable step."""
        data = attrs.asdict(event)
        run_id = data.pop("run_id")
        data.pop("export")
        text = json.dumps({"event": type(event).__name__, **data})
        with self._pending_lock:
            self._pending.append((run_id, self.now(), text))

    @contextmanager
    def transaction(self) -> Iterator[StateDatabase]:
        """One durable step: the fence is checked, the block's writes and the noted events become durable together.

        :raises StaleWriter: when another process took over.
        """
        taken: list[tuple[str, str, str]] = []
        try:
            with self.database.transaction() as database:
                self.fence.check(database)
                yield database
                # Taken away at once: another thread's transaction may begin before this one's thread goes on.
                with self._pending_lock:
                    taken += self._pending
                    self._pending.clear()
                for run_id, at, text in taken:
                    _writes.append_journal(database, run_id, at, text)
        except BaseException:
            with self._pending_lock:
                self._pending[:0] = taken
            raise
