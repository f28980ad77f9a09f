"""What every test may ask for: the servers' fixtures, and the mark that tells who asked."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The inner loop draws a few examples only; the whole suite draws as many as ever.
settings.register_profile("fast", max_examples=10)

pytest_plugins = ("ledger_results", "missing_servers", "postgres_server", "postgres_tls")

SERVER_FIXTURES = frozenset({"postgres_server", "tls_server"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SERVER_FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("server")
