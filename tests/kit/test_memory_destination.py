from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.errors import EnvironmentFailure
from rivet_core.testing import MemoryDestination, MemoryOptions, MemoryStore
from rivet_core.types import Verdict


def destination(store: MemoryStore) -> MemoryDestination:
    return MemoryDestination(MemoryOptions(store=store))


def test_held_puts_land_in_the_order_of_their_release() -> None:
    store = MemoryStore()
    held = store.hold(lambda key: key.startswith("part"))
    with ThreadPoolExecutor(2) as pool:
        puts = [pool.submit(destination(store).put_bytes, f"part-{n}", b"x", create=True) for n in (1, 2)]
        assert set(held.waiting(2)) == {"part-1", "part-2"}
        assert store.objects == {}
        held.release("part-2")
        puts[1].result(timeout=10)
        held.release("part-1")
        puts[0].result(timeout=10)
    assert store.put_keys == ["part-2", "part-1"]


def test_what_does_not_match_is_not_held() -> None:
    store = MemoryStore()
    held = store.hold(lambda key: key.startswith("part"))
    destination(store).put_bytes("manifest.json", b"{}", create=True)
    assert held.waiting(0) == ()
    assert set(store.objects) == {"manifest.json"}


def test_releasing_all_lets_later_puts_pass() -> None:
    store = MemoryStore()
    held = store.hold(lambda key: True)
    with ThreadPoolExecutor(1) as pool:
        put = pool.submit(destination(store).put_bytes, "a", b"x", create=True)
        held.waiting()
        held.release_all()
        put.result(timeout=10)
    destination(store).put_bytes("b", b"x", create=True)
    assert store.put_keys == ["a", "b"]


def test_a_late_put_looks_failed_and_lands_afterwards() -> None:
    store = MemoryStore()
    late = store.delay(lambda key: key == "part-1")
    to = destination(store)
    with pytest.raises(EnvironmentFailure) as caught:
        to.put_bytes("part-1", b"x", create=True)
    assert to.verdict(caught.value) is Verdict.RETRY
    assert to.stat("part-1") is None
    assert late.flying == ("part-1",)
    assert late.land() == ("part-1",)
    assert to.get("part-1", 10) == b"x"


def test_a_late_create_does_not_replace_what_came_first() -> None:
    store = MemoryStore()
    late = store.delay(lambda key: not late.flying)
    to = destination(store)
    with pytest.raises(EnvironmentFailure):
        to.put_bytes("part-1", b"late", create=True)
    to.put_bytes("part-1", b"first", create=True)
    assert late.land() == ()
    assert to.get("part-1", 10) == b"first"


def test_a_failing_put_keeps_nothing() -> None:
    store = MemoryStore()
    store.fail(lambda key: True)
    with pytest.raises(EnvironmentFailure):
        destination(store).put_bytes("a", b"x", create=True)
    store.fail(None)
    assert store.objects == {}


def test_a_destination_that_can_only_be_put_to_cannot_be_read() -> None:
    can = DestinationCapabilities(durable=False, readable=False, conditional_create=False)
    to = MemoryDestination(MemoryOptions(store=MemoryStore(), capabilities=can))
    to.put_bytes("a", b"x", create=True)
    with pytest.raises(EnvironmentFailure):
        to.get("a", 10)
