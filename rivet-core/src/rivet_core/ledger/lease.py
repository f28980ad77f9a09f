"""One writer, fenced: a lease is an operating system lock on a side file and a token that only grows.

The lock frees itself when its holder dies, so the same command works at once after SIGKILL. The token is for the holder
that was stopped and wakes: whatever it then writes is refused.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import attrs
import xxhash

from rivet_core.errors import BusyError, Place, StaleWriter
from rivet_core.state import _writes
from rivet_core.state.lock import FileLock

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from datetime import datetime

    from rivet_core.state import StateDatabase


@attrs.frozen
class Fence:
    """The tokens under which a process may write; checked inside every ledger transaction."""

    tokens: tuple[tuple[str, int], ...]

    @property
    def token(self) -> int:
        """The first lease's token, for the run's row."""
        return self.tokens[0][1]

    def check(self, database: StateDatabase) -> None:
        """Stop a process that was superseded.

        :raises StaleWriter: when any lease was granted again.
        """
        for key, token in self.tokens:
            if not _writes.lease_holds(database, key, token):
                msg = f"the lease on {key} was taken over by another process, so this one stops"
                raise StaleWriter(
                    msg, code="RIVET_STATE_LEASE_LOST", remedy="nothing was lost; the other process goes on"
                )


def export_lease(export: str, source: str) -> str:
    """Return the lease's name for one export on one source."""
    return f"export {export} of {source}"


def prefix_lease(uri: str) -> str:
    """Return the lease's name for one destination prefix."""
    return f"prefix {uri}"


@contextmanager
def hold(
    database: StateDatabase,
    keys: tuple[str, ...],
    *,
    wait_seconds: float,
    now: datetime,
    stop: threading.Event | None = None,
) -> Iterator[Fence]:
    """Hold leases for the length of the block.

    :param keys: taken in one order everywhere, so that two processes cannot wait for each other.
    :param wait_seconds: for all of them together; 0 asks once.
    :param stop: ends the waiting when it is set.
    :raises BusyError: ``RIVET_STATE_LOCK_TIMEOUT`` when another live process has one.
    """
    deadline = time.monotonic() + wait_seconds
    with ExitStack() as locks:
        for key in sorted(keys):
            lock = FileLock(
                database.path.with_name(f"{database.path.name}.lease-{xxhash.xxh3_64_hexdigest(key.encode())}")
            )
            if not lock.acquire(max(0.0, deadline - time.monotonic()), stop):
                msg = f"another live process holds the lease on {key}"
                raise BusyError(
                    msg,
                    code="RIVET_STATE_LOCK_TIMEOUT",
                    place=Place(file=str(lock.path)),
                    remedy="wait for it, or raise --lock-wait",
                )
            locks.callback(lock.release)
        holder = f"{socket.gethostname()}:{os.getpid()}"
        with database.transaction():
            tokens = tuple((key, _writes.grant_lease(database, key, holder, now.isoformat())) for key in keys)
        yield Fence(tokens)
