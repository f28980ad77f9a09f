"""What every test may ask for: the servers' fixtures, and the mark that tells who asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from rivet_core.types import secret

# The inner loop draws a few examples only; the whole suite draws as many as ever.
settings.register_profile("fast", max_examples=10)

pytest_plugins = ("ledger_results", "missing_servers", "postgres_server", "postgres_tls")

SERVER_FIXTURES = frozenset({"postgres_server", "tls_server", "rust_tool"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SERVER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("server")


@pytest.fixture(autouse=True)
def secrets_of_this_test_alone() -> Iterator[None]:
    """A made-up password of one letter would be masked in every message of the session."""
    before = set(secret._known)
    yield
    secret._known.clear()
    secret._known.update(before)
