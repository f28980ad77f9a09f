"""Profiles, and how the tuning of the source and of an export become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from rivet_core.config.keys import TuningKeys
from rivet_core.requests import Budget, Tuning

_MB: Final = 1024 * 1024
#: What a profile sets.
PROFILES: Final[Mapping[str, TuningKeys]] = {
    "fast": TuningKeys(
        batch_size=50_000,
        throttle_ms=0,
        statement_timeout_s=0,
        lock_timeout_s=0,
        max_retries=1,
        retry_backoff_ms=1000,
        memory_threshold_mb=0,
    ),
    "balanced": TuningKeys(
        batch_size=10_000,
        throttle_ms=50,
        statement_timeout_s=300,
        lock_timeout_s=30,
        max_retries=3,
        retry_backoff_ms=2000,
        memory_threshold_mb=4096,
    ),
    "safe": TuningKeys(
        batch_size=2_000,
        throttle_ms=500,
        statement_timeout_s=120,
        lock_timeout_s=10,
        max_retries=10,
        retry_backoff_ms=5000,
        memory_threshold_mb=2048,
    ),
}
#: What holds when the user chose no profile: retries and time limits as in ``balanced``, and nothing that slows reading
#: down. A read that queues for a lock for ever would make writers queue behind it.
NO_PROFILE: Final = TuningKeys(statement_timeout_s=300, lock_timeout_s=30, max_retries=3, retry_backoff_ms=2000)


@attrs.frozen(kw_only=True)
class Resolved:
    """An export's tuning, and its retries, which are fields of the intent."""

    tuning: Tuning
    max_attempts: int
    retry_backoff_ms: int


def merge_tuning(source: TuningKeys, export: TuningKeys) -> TuningKeys:
    """Return the export's tuning over the source's, field by field.

    Rows and memory of a batch exclude each other, so an export that gives one of them drops the source's other one.
    """
    names = [field.name for field in attrs.fields(TuningKeys)]
    values = {name: getattr(source if getattr(export, name) is None else export, name) for name in names}
    if export.batch_size_memory_mb is not None:
        values["batch_size"] = None
    elif export.batch_size is not None:
        values["batch_size_memory_mb"] = None
    return TuningKeys(**values)


def resolve_tuning(source: TuningKeys, export: TuningKeys, environment: str | None) -> Resolved:
    """Return what holds for one export.

    :param environment: chooses the profile where no key does: ``local`` the fast one, any other the balanced one.
    """
    given = merge_tuning(source, export)
    profile = given.profile
    if profile is None and environment is not None:
        profile = "fast" if environment == "local" else "balanced"
    full = merge_tuning(PROFILES[profile] if profile else NO_PROFILE, given)
    return Resolved(
        tuning=Tuning(
            profile=profile,
            budget=_budget(given, profile),
            throttle_ms=full.throttle_ms or 0,
            statement_timeout_s=full.statement_timeout_s or 0,
            lock_timeout_s=full.lock_timeout_s or 0,
            memory_threshold_mb=full.memory_threshold_mb or 0,
            max_batch_bytes=None if full.max_batch_memory_mb is None else full.max_batch_memory_mb * _MB,
            on_batch_exceeded=full.on_batch_memory_exceeded or "warn",
            max_value_bytes=(256 if full.max_value_mb is None else full.max_value_mb) * _MB,
            adaptive=bool(full.adaptive),
            min_workers=full.min_parallel or 1,
        ),
        max_attempts=1 + (full.max_retries or 0),
        retry_backoff_ms=full.retry_backoff_ms or 0,
    )


def _budget(given: TuningKeys, profile: str | None) -> Budget:
    usual = Budget()
    if given.batch_size_memory_mb is not None:
        # The rows then follow from the memory alone, also those of narrow ones.
        size = given.batch_size_memory_mb * _MB
        return Budget(bytes=size, rows=max(usual.rows, size // 64))
    # No profile gives a batch more memory than usual: it reads no faster, and the process holds four of them and more.
    rows = PROFILES[profile].batch_size if profile else None
    return Budget(bytes=usual.bytes, rows=given.batch_size or rows or usual.rows)
