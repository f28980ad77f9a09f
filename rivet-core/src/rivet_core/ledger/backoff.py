"""How long to wait before another attempt."""

from __future__ import annotations

import random

_MOST_SECONDS = 60.0


def backoff_seconds(base: float, attempt: int) -> float:
    """Return the wait after an attempt: doubled each time up to a minute.

    It is jittered, so that workers do not return together.

    :param base: the wait after the first attempt.
    :param attempt: the number of the attempt that failed, from 1.
    """
    return float(min(_MOST_SECONDS, base * 2 ** (attempt - 1)) * random.uniform(0.5, 1.0))  # noqa: S311
