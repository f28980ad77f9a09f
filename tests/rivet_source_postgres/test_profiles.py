"""The wait for locks that the source sets is the one that the configuration resolves and documents."""

from __future__ import annotations

import itertools

import pytest

from rivet_core.config.keys import TuningKeys
from rivet_core.config.tuning import resolve_tuning
from rivet_source_postgres.options import PostgresOptions, TuningOptions

_PROFILES = (None, "fast", "balanced", "safe")
_ENVIRONMENTS = (None, "local", "replica", "production")
_CHOICES = list(itertools.product(_PROFILES, _ENVIRONMENTS, (None, 0, 7)))


@pytest.mark.parametrize(("profile", "environment", "seconds"), _CHOICES)
def test_source_and_configuration_wait_equally_long_for_a_lock(
    profile: str | None, environment: str | None, seconds: int | None
) -> None:
    resolved = resolve_tuning(TuningKeys(), TuningKeys(profile=profile, lock_timeout_s=seconds), environment)
    options = PostgresOptions(
        url_env="DATABASE_URL",
        environment=environment,
        tuning=TuningOptions(profile=profile, lock_timeout_s=seconds),
    )
    assert options.lock_timeout_s == resolved.tuning.lock_timeout_s
