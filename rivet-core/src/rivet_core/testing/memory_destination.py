"""A real destination in memory, whose capabilities can be switched and whose puts can be held back or land late."""

from __future__ import annotations

import hashlib
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.errors import EnvironmentFailure, Place, RefusalError
from rivet_core.hookspecs import DestinationType
from rivet_core.types import ObjectInfo, PutReceipt, Verdict

Match = Callable[[str], bool]


class Held:
    """Puts that wait in their callers until they are released, in any order."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._arrived = threading.Condition()
        self._waiting: list[str] = []
        self._released: set[str] = set()

    def waiting(self, number: int = 1, seconds: float = 10.0) -> tuple[str, ...]:
        """Return the keys that wait, in order of arrival, once there are so many."""
        with self._arrived:
            self._arrived.wait_for(lambda: len(self._waiting) >= number, seconds)
            return tuple(self._waiting)

    def release(self, key: str) -> None:
        """Let the put of one key go on, now or when it comes."""
        with self._arrived:
            self._released.add(key)
            self._arrived.notify_all()

    def release_all(self) -> None:
        """Let every put go on, from now on."""
        with self._arrived:
            self.match = _nothing
            self._released.update(self._waiting)
            self._arrived.notify_all()

    def wait(self, key: str) -> None:
        """Wait, as a put of this key has to."""
        with self._arrived:
            if not self.match(key):
                return
            self._waiting.append(key)
            self._arrived.notify_all()
            self._arrived.wait_for(lambda: key in self._released)
            self._waiting.remove(key)
            self._released.discard(key)


def _nothing(key: str) -> bool:
    del key
    return False


class Late:
    """Puts whose callers get an error although the objects will land: an answer that was lost on the way."""

    def __init__(self, match: Match, store: MemoryStore) -> None:
        self.match = match
        self._store = store
        self._flying: list[tuple[str, bytes, bool]] = []

    @property
    def flying(self) -> tuple[str, ...]:
        """The keys that have not landed yet."""
        return tuple(key for key, _, _ in self._flying)

    def take(self, key: str, data: bytes, *, create: bool) -> None:
        """Take off instead of landing."""
        self._flying.append((key, data, create))

    def land(self) -> tuple[str, ...]:
        """Let everything land now, last in first; return the keys, those left out that a create-only put refused."""
        landed = []
        while self._flying:
            key, data, create = self._flying.pop()
            if not (create and key in self._store.objects):
                self._store.objects[key] = data
                landed.append(key)
        return tuple(landed)


class MemoryStore:
    """The objects of any number of destinations, and a record of what happened to them."""

    def __init__(self, name: str = "store") -> None:
        self.name = name
        self.objects: dict[str, bytes] = {}
        #: Keys in the order in which puts began to be durable.
        self.put_keys: list[str] = []
        self.lock = threading.Lock()
        self._held: list[Held] = []
        self._late: list[Late] = []
        self._failing: Match | None = None

    def hold(self, match: Match) -> Held:
        """Hold back every put whose key matches."""
        self._held.append(Held(match))
        return self._held[-1]

    def delay(self, match: Match) -> Late:
        """Answer puts whose key matches with an error, and let them land later."""
        self._late.append(Late(match, self))
        return self._late[-1]

    def fail(self, match: Match | None) -> None:
        """Answer puts whose key matches with an error, and keep nothing of them; None ends it."""
        self._failing = match

    def put(self, key: str, data: bytes, *, create: bool) -> None:
        """Store an object, if nothing that was arranged prevents it."""
        for held in self._held:
            held.wait(key)
        for late in self._late:
            if late.match(key):
                late.take(key, data, create=create)
                raise _broken(key)
        if self._failing is not None and self._failing(key):
            raise _broken(key)
        with self.lock:
            if create and key in self.objects:
                msg = f"there is an object {key} already"
                raise RefusalError(
                    msg,
                    code="RIVET_DEST_OBJECT_EXISTS",
                    place=Place(value=key),
                    remedy="Look at who else writes to this prefix.",
                )
            self.objects[key] = data
            self.put_keys.append(key)


def _broken(key: str) -> EnvironmentFailure:
    msg = f"the connection broke while {key} was put"
    return EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy="Put it again.", transient=True)


@attrs.frozen(kw_only=True)
class MemoryOptions:
    """The options of a destination in memory.

    :param staging: a folder to rename from; None to copy from anywhere.
    """

    store: MemoryStore = attrs.field(repr=lambda store: store.name)
    prefix: str = ""
    capabilities: DestinationCapabilities = DestinationCapabilities(removable=True)
    staging: Path | None = None


class MemoryDestination:
    """The destination itself, see :class:`~rivet_core.protocols.Destination`."""

    def __init__(self, options: MemoryOptions) -> None:
        self.options = options
        self.store = options.store
        self.prefix = f"{options.prefix.strip('/')}/" if options.prefix else ""

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        return self.put_bytes(key, path.read_bytes(), create=create)

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        self.store.put(self.prefix + key, bytes(data), create=create and self.options.capabilities.conditional_create)
        return PutReceipt(key=key, size=len(data), md5=self._md5(data))

    def get(self, key: str, limit: int) -> bytes | None:
        self._must_be_readable()
        data = self.store.objects.get(self.prefix + key)
        if data is not None and len(data) > limit:
            msg = f"{key} has {len(data)} bytes, and {limit} are the most that a control object may have"
            raise RefusalError(msg, code="RIVET_DEST_CONTROL_ARTIFACT_INVALID", remedy="Look at what wrote it.")
        return data

    def download(self, key: str, path: Path) -> None:
        self._must_be_readable()
        data = self.store.objects.get(self.prefix + key)
        if data is None:
            msg = f"there is no object {key}"
            raise EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy="Look at what removed it.")
        with path.open("xb") as out:
            out.write(data)

    def stat(self, key: str) -> ObjectInfo | None:
        self._must_be_readable()
        data = self.store.objects.get(self.prefix + key)
        return None if data is None else ObjectInfo(key=key, size=len(data), md5=self._md5(data))

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        self._must_be_readable()
        below = self.prefix + (f"{prefix.rstrip('/')}/" if prefix else "")
        for key, data in sorted(self.store.objects.copy().items()):
            if key.startswith(below):
                yield ObjectInfo(key=key.removeprefix(self.prefix), size=len(data), md5=self._md5(data))

    def move(self, key: str, to: str) -> None:
        self._must_be_readable()
        with self.store.lock:
            data = self.store.objects.pop(self.prefix + key, None)
            if data is not None:
                self.store.objects[self.prefix + to] = data

    def remove(self, key: str) -> None:
        with self.store.lock:
            self.store.objects.pop(self.prefix + key, None)

    def staging(self) -> Path | None:
        if self.options.staging is not None:
            self.options.staging.mkdir(parents=True, exist_ok=True)
        return self.options.staging

    def uri(self) -> str:
        return f"memory://{self.store.name}/{self.prefix}"

    def verdict(self, error: BaseException) -> Verdict:
        return Verdict.RETRY if isinstance(error, EnvironmentFailure) and error.transient else Verdict.FATAL

    def close(self) -> None:
        """Nothing is open."""

    def _md5(self, data: bytes) -> str | None:
        if not self.options.capabilities.md5:
            return None
        return b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()

    def _must_be_readable(self) -> None:
        if not self.options.capabilities.readable:
            msg = "this destination can only be put to"
            raise EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy="Use one that is readable.")


def memory_type(capabilities: DestinationCapabilities, kind: str = "memory") -> DestinationType:
    """Return the declaration of destinations in memory that can do so much."""
    return DestinationType(kind=kind, options=MemoryOptions, capabilities=capabilities, factory=MemoryDestination)
