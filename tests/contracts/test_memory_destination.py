from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.testing import DestinationContract, MemoryOptions, MemoryStore, memory_type


class MemoryContract(DestinationContract):
    can = DestinationCapabilities()

    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def options(self, store: MemoryStore) -> MemoryOptions:
        return MemoryOptions(store=store, prefix="some/prefix", capabilities=self.can)

    @pytest.fixture
    def breaking(self, store: MemoryStore) -> Callable[[], AbstractContextManager[object]]:
        @contextmanager
        def broken() -> Iterator[None]:
            store.fail(lambda key: True)
            yield
            store.fail(None)

        return broken

    @pytest.fixture
    def received(self, store: MemoryStore) -> Callable[[], bytes]:
        return lambda: b"".join(store.objects.values())


class TestMemory(MemoryContract):
    can = DestinationCapabilities(removable=True, md5=True)
    declaration = memory_type(can)


class TestMemoryWithoutConditions(MemoryContract):
    can = DestinationCapabilities(conditional_create=False)
    declaration = memory_type(can, "memory_unconditional")


class TestMemoryThatCanOnlyBePutTo(MemoryContract):
    can = DestinationCapabilities(durable=False, readable=False, conditional_create=False)
    declaration = memory_type(can, "memory_put_only")
