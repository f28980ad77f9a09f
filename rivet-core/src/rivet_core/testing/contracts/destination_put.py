"""A destination's puts: whole, durable, refused or replaced as a whole, and nothing to be seen of those that fail."""

from __future__ import annotations

import hashlib
import threading
from base64 import b64encode
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from rivet_core.errors import RivetError
from rivet_core.protocols import Destination
from rivet_core.testing.contract import needs
from rivet_core.testing.contracts.destination_fixtures import LIMIT, DestinationFixtures, WriteFile
from rivet_core.testing.octets import bytes_difference

SIZES = pytest.mark.parametrize("size", ["none", "one", "large"])


class DestinationPuts(DestinationFixtures, sealed=True):
    """The part of the contract about ``put`` and ``put_bytes``."""

    @needs("readable")
    @SIZES
    def test_an_object_is_whole_when_put_returns(
        self, destination: Destination, write_file: WriteFile, tmp_path: Path, size: str
    ) -> None:
        """What ``put`` took can be downloaded byte for byte: nothing, one byte, more than one chunk."""
        data = self._bytes(size)
        destination.put("part.bin", write_file(data), create=True)
        destination.download("part.bin", tmp_path / "back")
        assert bytes_difference((tmp_path / "back").read_bytes(), data) == ""

    @SIZES
    def test_a_receipt_tells_key_and_size(self, destination: Destination, write_file: WriteFile, size: str) -> None:
        """A receipt names the key as it was given, and the size as the destination has it."""
        data = self._bytes(size)
        receipt = destination.put("part.bin", write_file(data), create=True)
        assert (receipt.key, receipt.size) == ("part.bin", len(data))

    @needs("md5")
    def test_a_receipts_digest_agrees(self, destination: Destination, write_file: WriteFile) -> None:
        """A destination that declares ``md5`` gives the base64 MD5 of the very bytes, for files and for bytes."""
        data = self._bytes("one") * 1000
        digest = b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
        assert destination.put("file", write_file(data), create=True).md5 == digest
        assert destination.put_bytes("bytes", data, create=True).md5 == digest

    @needs("readable")
    def test_replacing_replaces(self, destination: Destination, write_file: WriteFile) -> None:
        """With ``create=False`` a put replaces the object: a shorter one leaves nothing of the longer one."""
        destination.put_bytes("a.json", b"long, longer, longest", create=True)
        destination.put_bytes("a.json", b"short", create=False)
        assert destination.get("a.json", LIMIT) == b"short"
        destination.put("a.json", write_file(b"file"), create=False)
        assert destination.get("a.json", LIMIT) == b"file"

    @needs("readable")
    def test_creating_by_replacing_works_on_an_absent_object(self, destination: Destination) -> None:
        """``create=False`` asks for no earlier object."""
        destination.put_bytes("new.json", b"{}", create=False)
        assert destination.get("new.json", LIMIT) == b"{}"

    @needs("readable", "conditional create")
    def test_create_refuses_an_object_that_is_there(self, destination: Destination, write_file: WriteFile) -> None:
        """With ``create=True`` an existing object is refused with ``RIVET_DEST_OBJECT_EXISTS`` and stays as it is."""
        destination.put_bytes("a", b"first", create=True)
        with pytest.raises(RivetError) as file_refused:
            destination.put("a", write_file(b"second"), create=True)
        with pytest.raises(RivetError) as bytes_refused:
            destination.put_bytes("a", b"second", create=True)
        assert {file_refused.value.code, bytes_refused.value.code} == {"RIVET_DEST_OBJECT_EXISTS"}
        assert destination.get("a", LIMIT) == b"first"

    @needs("readable", "conditional create")
    def test_one_of_many_creators_wins(self, destination: Destination) -> None:
        """Of several puts that create one key at a time, one succeeds, and its bytes are there."""
        start = threading.Barrier(8, timeout=20)

        def create(number: int) -> int | None:
            start.wait()
            try:
                destination.put_bytes("a", b"%d" % number * 1000, create=True)
            except RivetError:
                return None
            return number

        for turn in range(5):
            with ThreadPoolExecutor(8) as pool:
                winners = [number for number in pool.map(create, range(8)) if number is not None]
            assert len(winners) == 1
            assert bytes_difference(destination.get("a", LIMIT), b"%d" % winners[0] * 1000) == ""
            destination.move("a", f"_quarantine/{turn}")

    @needs("readable")
    def test_puts_of_different_keys_do_not_mix(self, destination: Destination, write_file: WriteFile) -> None:
        """Several threads put different keys at a time, and each object has its own bytes."""
        files = {f"dir{number % 3}/part-{number}": write_file(b"%d" % number * 200_000) for number in range(12)}
        wanted = {key: path.read_bytes() for key, path in files.items()}
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda key: destination.put(key, files[key], create=True), files))
        mixed = {key: bytes_difference(destination.get(key, LIMIT), data) for key, data in wanted.items()}
        assert [f"{key}: {what}" for key, what in mixed.items() if what] == []

    @needs("readable")
    def test_a_put_of_a_file_that_cannot_be_read_shows_nothing(self, destination: Destination, tmp_path: Path) -> None:
        """When the local file is gone or is none, ``put`` raises and nothing new is there; the old object stays."""
        destination.put_bytes("old", b"old", create=True)
        for path in (tmp_path / "absent", tmp_path):
            for key, create in (("new", True), ("new", False), ("old", False)):
                with pytest.raises(Exception):  # noqa: B017, PT011 - which one is the destination's to choose
                    destination.put(key, path, create=create)
        assert destination.stat("new") is None
        assert [info.key for info in destination.list("")] == ["old"]
        assert destination.get("old", LIMIT) == b"old"

    @needs("readable")
    def test_a_put_that_breaks_off_shows_nothing(
        self,
        destination: Destination,
        breaking: Callable[[], AbstractContextManager[object]],
        write_file: WriteFile,
    ) -> None:
        """A put that fails half-way leaves nothing new under its key or beside it, and the old object as it was."""
        destination.put_bytes("old", b"old", create=True)
        data = self._bytes("large")
        with breaking():
            for key, create in (("new", True), ("old", False)):
                with pytest.raises(Exception):  # noqa: B017, PT011 - the store's own
                    destination.put(key, write_file(data), create=create)
                with pytest.raises(Exception):  # noqa: B017, PT011 - the store's own
                    destination.put_bytes(key, data, create=create)
        assert destination.stat("new") is None
        assert [info.key for info in destination.list("")] == ["old"]
        assert destination.get("old", LIMIT) == b"old"

    @needs("readable")
    def test_nobody_sees_half_an_object(self, destination: Destination, write_file: WriteFile) -> None:
        """While a large object is put it is absent or whole to everyone who looks, never something between."""
        data = self._bytes("large")
        path = write_file(data)
        sizes: set[int | None] = set()
        with ThreadPoolExecutor(1) as pool:
            putting = pool.submit(destination.put, "part.bin", path, create=True)
            while not putting.done():
                info = destination.stat("part.bin")
                sizes.add(None if info is None else info.size)
                sizes.update(info.size for info in destination.list("") if info.key == "part.bin")
            putting.result()
        assert sizes <= {None, len(data)}

    @needs("readable")
    def test_a_replacement_is_whole(self, destination: Destination) -> None:
        """While an object is replaced, a reader gets all of the old bytes or all of the new ones."""
        versions = [letter * 300_000 for letter in (b"a", b"b")]
        destination.put_bytes("manifest.json", versions[0], create=True)
        seen: set[bytes | None] = set()
        with ThreadPoolExecutor(1) as pool:
            replacing = pool.submit(
                lambda: [destination.put_bytes("manifest.json", versions[turn % 2], create=False) for turn in range(20)]
            )
            while not replacing.done():
                seen.add(destination.get("manifest.json", LIMIT))
            replacing.result()
        assert [None if data is None else len(data) for data in seen if data not in versions] == []

    @needs("readable", "durable")
    def test_what_was_put_outlives_the_destination(self, destination: Destination, second: Destination) -> None:
        """What was put is there for somebody else after the destination was closed."""
        destination.put_bytes("a/b.json", b"{}", create=True)
        destination.close()
        assert second.get("a/b.json", LIMIT) == b"{}"

    @needs("readable")
    def test_a_put_from_the_staging_folder_works(self, destination: Destination) -> None:
        """Where there is a staging folder it exists, what lies in it is no object, and ``put`` takes it from there."""
        folder = destination.staging()
        if folder is None:
            return
        (folder / "one.part").write_bytes(b"staged")
        assert list(destination.list("")) == []
        destination.put("dir/one", folder / "one.part", create=True)
        assert [(info.key, info.size) for info in destination.list("")] == [("dir/one", 6)]
        assert destination.get("dir/one", LIMIT) == b"staged"

    @needs("putting only")
    def test_every_byte_is_passed_on(
        self, destination: Destination, write_file: WriteFile, received: Callable[[], bytes]
    ) -> None:
        """A destination that can only be put to passes on every byte of the object, and nothing else."""
        data = self._bytes("large")
        destination.put("part.bin", write_file(data), create=True)
        arrived = received()
        assert bytes_difference(arrived, data) == ""

    def _bytes(self, size: str) -> bytes:
        # No two chunks are equal, so that an exchange of chunks is seen.
        length = {"none": 0, "one": 1, "large": self.large}[size]
        block = 4096
        whole = b"".join(number.to_bytes(8, "big") * (block // 8) for number in range(1, length // block + 2))
        return whole[:length]
