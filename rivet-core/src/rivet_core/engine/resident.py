"""How much memory the process holds now, where the system tells it without help."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_STATM: Final = Path("/proc/self/statm")


def resident_bytes() -> int | None:
    """Return the process's resident memory, or None where it cannot be known (macOS, for example)."""
    try:
        pages = int(_STATM.read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
