"""How gently an export treats its source, with every default already chosen."""

from __future__ import annotations

import attrs

from rivet_core.requests.read import Budget


@attrs.frozen(kw_only=True)
class Tuning:
    """The resolved ``tuning`` of one export.

    :param profile: the profile that the user chose, by name or by environment; None for none.
    :param budget: the size of one batch.
    :param throttle_ms: pause after a batch of the budget's rows; a smaller batch pauses less.
    :param statement_timeout_s: how long the source may take for one answer: a batch, a count, a fact; 0 for ever.
    :param lock_timeout_s: how long a statement waits for a lock; 0 for ever.
    :param memory_threshold_mb: resident memory above which reading pauses; 0 for never.
    :param max_batch_bytes: the largest Arrow batch, or None.
    :param on_batch_exceeded: ``warn``, ``fail`` or ``auto_shrink``.
    :param max_value_bytes: the largest single cell; 0 for any.
    :param adaptive: let pressure on the source lower the speed of reading: pauses, and smaller batches of later units.
    :param min_workers: the least workers that ``adaptive`` may leave; no effect yet, since it changes no workers.
    """

    profile: str | None = None
    budget: Budget = Budget()
    throttle_ms: int = 0
    statement_timeout_s: int = 0
    lock_timeout_s: int = 0
    memory_threshold_mb: int = 0
    max_batch_bytes: int | None = None
    on_batch_exceeded: str = "warn"
    max_value_bytes: int = 256 * 1024 * 1024
    adaptive: bool = False
    min_workers: int = 1
