from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.config.keys import TuningKeys
from rivet_core.config.tuning import PROFILES, merge_tuning, resolve_tuning
from rivet_core.requests import Budget

if TYPE_CHECKING:
    from collections.abc import Callable

    from rivet_core.config import Configuration

numbers = st.none() | st.integers(min_value=1, max_value=1000)
keys = st.builds(
    TuningKeys,
    profile=st.none() | st.sampled_from(sorted(PROFILES)),
    batch_size=numbers,
    throttle_ms=numbers,
    max_retries=numbers,
    retry_backoff_ms=numbers,
    adaptive=st.none() | st.booleans(),
)


@given(keys, keys)
def test_the_exports_tuning_wins_field_by_field(source: TuningKeys, export: TuningKeys) -> None:
    merged = merge_tuning(source, export)
    for field in attrs.fields(TuningKeys):
        mine, theirs = getattr(export, field.name), getattr(source, field.name)
        assert getattr(merged, field.name) == (theirs if mine is None else mine)


@given(keys)
def test_merging_with_nothing_changes_nothing(one: TuningKeys) -> None:
    assert merge_tuning(one, TuningKeys()) == merge_tuning(TuningKeys(), one) == one


def test_rows_of_an_export_drop_the_memory_of_the_source() -> None:
    merged = merge_tuning(TuningKeys(batch_size_memory_mb=64), TuningKeys(batch_size=500))
    assert (merged.batch_size, merged.batch_size_memory_mb) == (500, None)
    merged = merge_tuning(TuningKeys(batch_size=500), TuningKeys(batch_size_memory_mb=64))
    assert (merged.batch_size, merged.batch_size_memory_mb) == (None, 64)


@pytest.mark.parametrize(
    ("given_profile", "environment", "chosen"),
    [
        (None, None, None),
        (None, "local", "fast"),
        (None, "replica", "balanced"),
        (None, "production", "balanced"),
        ("safe", "local", "safe"),
    ],
)
def test_the_environment_chooses_the_profile_where_no_key_does(
    given_profile: Any, environment: str | None, chosen: str | None
) -> None:
    assert resolve_tuning(TuningKeys(profile=given_profile), TuningKeys(), environment).tuning.profile == chosen


@pytest.mark.parametrize(
    ("profile", "budget", "throttle", "attempts", "backoff"),
    [
        ("fast", Budget(rows=50_000), 0, 2, 1000),
        ("balanced", Budget(rows=10_000), 50, 4, 2000),
        ("safe", Budget(rows=2_000), 500, 11, 5000),
    ],
)
def test_a_profile_sets_what_is_not_given(
    profile: Any, budget: Budget, throttle: int, attempts: int, backoff: int
) -> None:
    resolved = resolve_tuning(TuningKeys(profile=profile), TuningKeys(), None)
    assert resolved.tuning.budget == budget
    assert (resolved.tuning.throttle_ms, resolved.max_attempts, resolved.retry_backoff_ms) == (
        throttle,
        attempts,
        backoff,
    )


def test_no_profile_slows_nothing_down() -> None:
    resolved = resolve_tuning(TuningKeys(), TuningKeys(), None)
    assert (resolved.tuning.budget, resolved.tuning.throttle_ms) == (Budget(), 0)
    assert (resolved.max_attempts, resolved.retry_backoff_ms) == (4, 2000)


@pytest.mark.parametrize(("profile", "seconds"), [(None, 300), ("fast", 0), ("balanced", 300), ("safe", 120)])
def test_a_profile_limits_how_long_an_answer_may_take(profile: str | None, seconds: int) -> None:
    assert resolve_tuning(TuningKeys(profile=profile), TuningKeys(), None).tuning.statement_timeout_s == seconds


def test_a_zero_is_a_value_and_not_an_absence() -> None:
    resolved = resolve_tuning(TuningKeys(profile="safe", max_retries=5), TuningKeys(max_retries=0, throttle_ms=0), None)
    assert (resolved.max_attempts, resolved.tuning.throttle_ms) == (1, 0)


def test_the_source_of_an_export_has_the_exports_tuning(read: Callable[..., Configuration]) -> None:
    configuration = read(
        """
        source: {type: duck, host: h, tuning: {profile: safe, lock_timeout_s: 7, max_retries: 1}}
        exports:
          - {name: a, table: t, format: csv, destination: {type: stdout}, tuning: {lock_timeout_s: 9}}
          - {name: b, table: t, format: csv, destination: {type: stdout}}
        """
    )
    first, second = (intent.source.options.tuning for intent in configuration.exports)  # type: ignore[attr-defined]
    assert (first.profile, first.lock_timeout_s) == ("safe", 9)
    assert (second.profile, second.lock_timeout_s) == ("safe", 7)
    assert configuration.exports[0].tuning.lock_timeout_s == 9
    assert configuration.exports[0].max_attempts == 2
