"""Destinations with one fault each; a class names the contract tests that have to find it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any, ClassVar

import attrs
import pytest

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.errors import EnvironmentFailure
from rivet_core.hookspecs import DestinationType
from rivet_core.testing import DestinationContract, MemoryDestination, MemoryOptions, MemoryStore, memory_type
from rivet_core.types import ObjectInfo, PutReceipt, Verdict

CAN = DestinationCapabilities(removable=True, md5=True)
numbers = count()


def made_by(factory: Callable[[Any], object], can: DestinationCapabilities = CAN) -> DestinationType:
    return attrs.evolve(memory_type(can), factory=factory)


class Broken(DestinationContract):
    witnesses: ClassVar[tuple[str, ...]] = ()
    large = 200_000
    listing_page = 20

    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def options(self, store: MemoryStore, tmp_path: Path) -> MemoryOptions:
        can = type(self).declaration.capabilities
        return MemoryOptions(store=store, prefix="p", capabilities=can, staging=tmp_path / "staging")

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


# -- puts ---------------------------------------------------------------------


class Appends(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        old = b"" if create else self.store.objects.get(self.prefix + key, b"")
        return super().put_bytes(key, old + data, create=create)


class TestAppends(Broken):
    declaration = made_by(Appends)
    witnesses = ("test_replacing_replaces",)


class DropsTheLastByte(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        super().put_bytes(key, data[:-1], create=create)
        return PutReceipt(key=f"{self.prefix}{key}", size=len(data) + 1, md5="")


class TestDropsTheLastByte(Broken):
    declaration = made_by(DropsTheLastByte)
    witnesses = (
        "test_an_object_is_whole_when_put_returns",
        "test_a_receipt_tells_key_and_size",
        "test_a_receipts_digest_agrees",
        "test_stat_tells_the_size",
        "test_a_listing_tells_sizes",
    )


class DropsTheLastByteOfAPipe(DropsTheLastByte):
    pass


class TestDropsTheLastByteOfAPipe(Broken):
    declaration = made_by(
        DropsTheLastByteOfAPipe, DestinationCapabilities(durable=False, readable=False, conditional_create=False)
    )
    witnesses = ("test_every_byte_is_passed_on",)


class AlwaysConditional(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        if not create and self.stat(key) is None:
            raise FileNotFoundError(key)
        return super().put_bytes(key, data, create=create)


class TestAlwaysConditional(Broken):
    declaration = made_by(AlwaysConditional)
    witnesses = ("test_creating_by_replacing_works_on_an_absent_object",)
    error = "FileNotFoundError"


class NeverConditional(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        return super().put_bytes(key, data, create=False)


class TestNeverConditional(Broken):
    declaration = made_by(NeverConditional)
    witnesses = ("test_create_refuses_an_object_that_is_there",)


class LooksThenPuts(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        there = self.stat(key) is not None
        time.sleep(0.01)
        return super().put_bytes(key, data, create=create and there)


class TestLooksThenPuts(Broken):
    declaration = made_by(LooksThenPuts)
    witnesses = ("test_one_of_many_creators_wins",)


class SharesOneBuffer(MemoryDestination):
    buffer = b""

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        type(self).buffer = path.read_bytes()
        time.sleep(0.01)
        return self.put_bytes(key, type(self).buffer, create=create)


class TestSharesOneBuffer(Broken):
    declaration = made_by(SharesOneBuffer)
    witnesses = ("test_puts_of_different_keys_do_not_mix",)


class OpensFirst(MemoryDestination):
    """Opens the object, then the file."""

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        self.put_bytes(key, b"", create=create)
        return self.put_bytes(key, path.read_bytes(), create=False)


class TestOpensFirst(Broken):
    declaration = made_by(OpensFirst)
    witnesses = ("test_a_put_of_a_file_that_cannot_be_read_shows_nothing",)


class LeavesHalf(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        try:
            return super().put_bytes(key, data, create=create)
        except EnvironmentFailure:
            self.store.objects[self.prefix + key] = data[: len(data) // 2]
            raise


class TestLeavesHalf(Broken):
    declaration = made_by(LeavesHalf)
    witnesses = ("test_a_put_that_breaks_off_shows_nothing",)


class WritesInPlace(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        for end in range(0, len(data), len(data) // 4 or 1):
            self.store.objects[self.prefix + key] = data[:end]
            time.sleep(0.01)
        return super().put_bytes(key, data, create=False)


class TestWritesInPlace(Broken):
    declaration = made_by(WritesInPlace)
    witnesses = ("test_nobody_sees_half_an_object", "test_a_replacement_is_whole")


class ForgetsOnClose(MemoryDestination):
    def close(self) -> None:
        self.store.objects.clear()


class TestForgetsOnClose(Broken):
    declaration = made_by(ForgetsOnClose)
    witnesses = ("test_what_was_put_outlives_the_destination",)


class ListsItsStaging(MemoryDestination):
    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        yield from super().list(prefix)
        for path in (self.staging() or Path()).iterdir():
            yield ObjectInfo(key=f"staging/{path.name}", size=path.stat().st_size)


class TestListsItsStaging(Broken):
    declaration = made_by(ListsItsStaging)
    witnesses = ("test_a_put_from_the_staging_folder_works",)


# -- looks --------------------------------------------------------------------


class ClosesOnce(MemoryDestination):
    closed = False

    def close(self) -> None:
        if self.closed:
            raise RuntimeError
        self.closed = True


class TestClosesOnce(Broken):
    declaration = made_by(ClosesOnce)
    witnesses = ("test_close_can_be_called_again",)
    error = "RuntimeError"

    @pytest.fixture
    def destination(self, options: MemoryOptions) -> MemoryDestination:
        return ClosesOnce(options)


class CannotRemove(MemoryDestination):
    remove = None  # type: ignore[assignment]  # as if it were not there


class TestCannotRemove(Broken):
    declaration = made_by(CannotRemove)
    witnesses = ("test_it_has_the_methods_that_it_declares",)


class RaisesOnAbsent(MemoryDestination):
    def stat(self, key: str) -> ObjectInfo | None:
        return super().stat(key) or ObjectInfo(key=key, size=0)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        found = list(super().list(prefix))
        if not found:
            raise FileNotFoundError(prefix)
        return iter(found)

    def move(self, key: str, to: str) -> None:
        self.store.objects[self.prefix + to] = self.store.objects.pop(self.prefix + key)

    def download(self, key: str, path: Path) -> None:
        path.touch()
        super().download(key, path.with_name("other"))


class TestRaisesOnAbsent(Broken):
    declaration = made_by(RaisesOnAbsent)
    witnesses = (
        "test_an_absent_object_is_none",
        "test_an_absent_prefix_is_empty",
        "test_moving_an_absent_object_is_no_error",
        "test_downloading_an_absent_object_raises",
    )
    error = "AssertionError|FileNotFoundError|KeyError"


class HasNoLimit(MemoryDestination):
    def get(self, key: str, limit: int) -> bytes | None:
        return super().get(key, 1 << 40)


class TestHasNoLimit(Broken):
    declaration = made_by(HasNoLimit)
    witnesses = ("test_get_refuses_what_is_too_large",)


class TakesPrefixesForSubstrings(MemoryDestination):
    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        return (info for info in super().list("") if info.key.startswith(prefix.rstrip("/")))


class TestTakesPrefixesForSubstrings(Broken):
    declaration = made_by(TakesPrefixesForSubstrings)
    witnesses = ("test_a_prefix_is_not_a_substring",)


class ListsOnePage(MemoryDestination):
    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        return islice(super().list(prefix), 20)


class TestListsOnePage(Broken):
    declaration = made_by(ListsOnePage)
    witnesses = ("test_a_listing_goes_on_beyond_one_page",)


class RemembersListings(MemoryDestination):
    def __init__(self, options: MemoryOptions) -> None:
        super().__init__(options)
        self.seen: dict[str, list[ObjectInfo]] = {}

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        if prefix not in self.seen:
            self.seen[prefix] = list(super().list(prefix))
        return iter(self.seen[prefix])


class TestRemembersListings(Broken):
    declaration = made_by(RemembersListings)
    witnesses = ("test_a_look_is_a_fresh_look",)


class DecodesKeys(MemoryDestination):
    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        return super().put_bytes(key.replace("%41", "A"), data, create=create)


class TestDecodesKeys(Broken):
    declaration = made_by(DecodesKeys)
    witnesses = ("test_any_key_can_be_used",)


class Copies(MemoryDestination):
    def move(self, key: str, to: str) -> None:
        self.store.objects[self.prefix + to] = self.store.objects[self.prefix + key]


class TestCopies(Broken):
    declaration = made_by(Copies)
    witnesses = ("test_a_move_moves",)


class RemovesFolders(MemoryDestination):
    def remove(self, key: str) -> None:
        for name in [name for name in self.store.objects if name.startswith(self.prefix + key)]:
            del self.store.objects[name]


class TestRemovesFolders(Broken):
    declaration = made_by(RemovesFolders)
    witnesses = ("test_a_removal_removes_one_object",)


class NumbersItself(MemoryDestination):
    def __init__(self, options: MemoryOptions) -> None:
        super().__init__(options)
        self.number = next(numbers)

    def uri(self) -> str:
        return f"memory://user:hunter2@{self.number}/"


class TestNumbersItself(Broken):
    declaration = made_by(NumbersItself)
    witnesses = ("test_the_address_is_one_spelling", "test_the_address_holds_no_secret")

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        return ("hunter2",)


class AlwaysRetries(MemoryDestination):
    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.RETRY


class TestAlwaysRetries(Broken):
    declaration = made_by(AlwaysRetries)
    witnesses = ("test_an_unknown_error_is_fatal", "test_a_refused_create_is_not_tried_again")
