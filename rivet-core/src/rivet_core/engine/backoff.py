"""How long to wait before another attempt."""

from __future__ import annotations

import random

_MOST_SECONDS = 60.0


def backoff_seconds(base_ms: int, attempt: int) -> float:
    """Return the wait after an attempt: doubled each time up to a minute.

    It is jittered, so that workers do not return together.

    :param base_ms: the wait after the first attempt.
    :param attempt: the number of the attempt that failed, from 1.
    """
    return float(min(_MOST_SECONDS, base_ms / 1000 * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0))  # noqa: S311
