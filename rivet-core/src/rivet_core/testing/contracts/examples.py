"""How the contracts' property tests are run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

#: The same examples in every run and for every plugin. Fixtures are shared by the examples of a test on purpose: a
#: filled table is only read. Several classes inherit one test, which hypothesis takes for a mistake.
examples = settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)
