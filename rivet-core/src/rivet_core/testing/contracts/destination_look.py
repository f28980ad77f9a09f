"""A destination's looks: fresh, exact in keys and prefixes; moves, removals, errors, names."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rivet_core.errors import RivetError
from rivet_core.protocols import Destination, RemovableDestination
from rivet_core.testing.contract import needs, unmet
from rivet_core.testing.contracts.destination_fixtures import LIMIT, DestinationFixtures, WriteFile
from rivet_core.types import Verdict

#: Every kind of character that a store might treat in its own way.
AWKWARD_KEYS = (
    "a b/c d.parquet", "date=2024-01-01/part.bin", "ünï/日本/🐘", "100%/%41%2F", "a+b&c#d?e", "it's \"x\"", "~user",
    "-x", "..a/b..", ".hidden/.x", "a:b", "[a]{b}*", "x" * 200, "deep/" * 20 + "leaf", "Case", "manifest-1.json",
)  # fmt: skip


class DestinationLooks(DestinationFixtures, sealed=True):
    """The part of the contract about everything but puts."""

    def test_close_can_be_called_again(self, destination: Destination) -> None:
        """``close`` is safe to call again."""
        destination.close()
        destination.close()

    def test_it_has_the_methods_that_it_declares(self, destination: Destination) -> None:
        """A declared capability comes with its methods: ``removable`` with ``RemovableDestination``."""
        claims = {Destination: True, RemovableDestination: type(self).capabilities().removable}
        assert unmet(destination, claims) == []

    @needs("readable")
    def test_an_absent_object_is_none(self, destination: Destination) -> None:
        """``get`` and ``stat`` of an object that is not there are None, also beside others and below them."""
        destination.put_bytes("a/b", b"x", create=True)
        for key in ("absent", "a", "a/b/c", "a/bc", "A/B"):
            assert destination.get(key, LIMIT) is None
            assert destination.stat(key) is None

    @needs("readable")
    def test_an_absent_prefix_is_empty(self, destination: Destination) -> None:
        """Listing a prefix without objects yields nothing, also before anything was ever put."""
        assert list(destination.list("")) == []
        assert list(destination.list("no/such")) == []

    @needs("readable")
    def test_moving_an_absent_object_is_no_error(self, destination: Destination) -> None:
        """``move`` of an object that is not there does nothing."""
        destination.move("absent", "_quarantine/absent")
        assert list(destination.list("")) == []

    @needs("readable")
    def test_downloading_an_absent_object_raises(self, destination: Destination, tmp_path: Path) -> None:
        """``download`` of an object that is not there raises and leaves no file."""
        with pytest.raises(Exception):  # noqa: B017, PT011 - which one is the destination's to choose
            destination.download("absent", tmp_path / "back")
        assert not (tmp_path / "back").exists()

    @needs("readable")
    def test_get_refuses_what_is_too_large(self, destination: Destination) -> None:
        """``get`` returns an object of exactly the limit, and refuses a larger one as no control object."""
        destination.put_bytes("a", b"12345", create=True)
        assert destination.get("a", 5) == b"12345"
        with pytest.raises(RivetError) as caught:
            destination.get("a", 4)
        assert caught.value.code == "RIVET_DEST_CONTROL_ARTIFACT_INVALID"

    @needs("readable")
    def test_stat_tells_the_size(self, destination: Destination, write_file: WriteFile) -> None:
        """``stat`` tells the key as it was given, and the size."""
        destination.put("dir/a", write_file(b"12345"), create=True)
        info = destination.stat("dir/a")
        assert info is not None
        assert (info.key, info.size) == ("dir/a", 5)

    @needs("readable")
    def test_a_prefix_is_not_a_substring(self, destination: Destination) -> None:
        """``list`` yields every object below a prefix at any depth, and none that only begins with the same letters."""
        for key in ("a/b/1", "a/b/c/2", "a/bc/3", "a/b-4", "ab/5", "6"):
            destination.put_bytes(key, key.encode(), create=True)
        assert {info.key for info in destination.list("a/b")} == {"a/b/1", "a/b/c/2"}
        assert {info.key for info in destination.list("a/b/")} == {"a/b/1", "a/b/c/2"}
        assert {info.key for info in destination.list("a")} == {"a/b/1", "a/b/c/2", "a/bc/3", "a/b-4"}
        assert sorted(info.key for info in destination.list("")) == ["6", "a/b-4", "a/b/1", "a/b/c/2", "a/bc/3", "ab/5"]

    @needs("readable")
    def test_a_listing_tells_sizes(self, destination: Destination) -> None:
        """Each listed object comes with its size."""
        sizes = {f"part-{size}": size for size in (0, 1, 1000)}
        for key, size in sizes.items():
            destination.put_bytes(key, b"x" * size, create=True)
        assert {info.key: info.size for info in destination.list("")} == sizes

    @needs("readable")
    def test_a_listing_goes_on_beyond_one_page(self, destination: Destination) -> None:
        """``list`` yields every object once, also when the store answers in pages."""
        keys = [f"many/part-{number:06d}" for number in range(self.listing_page + 1)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda key: destination.put_bytes(key, b"", create=True), keys))
        assert sorted(info.key for info in destination.list("many")) == keys

    @needs("readable")
    def test_a_look_is_a_fresh_look(self, destination: Destination, second: Destination) -> None:
        """What somebody else puts, replaces or moves is seen at once: nothing is cached."""
        assert (destination.stat("a"), destination.get("a", LIMIT), list(destination.list(""))) == (None, None, [])
        second.put_bytes("a", b"1", create=True)
        assert destination.get("a", LIMIT) == b"1"
        assert [info.size for info in destination.list("")] == [1]
        second.put_bytes("a", b"22", create=False)
        info = destination.stat("a")
        assert info is not None
        assert info.size == 2
        assert destination.get("a", LIMIT) == b"22"
        second.move("a", "b")
        assert destination.stat("a") is None
        assert [info.key for info in destination.list("")] == ["b"]

    @needs("readable")
    def test_any_key_can_be_used(self, destination: Destination, write_file: WriteFile, tmp_path: Path) -> None:
        """Keys of any letters and signs are kept exactly, in every method."""
        for number, key in enumerate(AWKWARD_KEYS):
            data = b"%d" % number
            receipt = destination.put(key, write_file(data), create=True)
            info = destination.stat(key)
            assert info is not None, key
            assert (receipt.key, info.key, destination.get(key, LIMIT)) == (key, key, data)
            destination.download(key, tmp_path / str(number))
            assert (tmp_path / str(number)).read_bytes() == data
        assert sorted(info.key for info in destination.list("")) == sorted(AWKWARD_KEYS)

    @needs("readable")
    def test_a_move_moves(self, destination: Destination) -> None:
        """``move`` leaves nothing under the old key and everything under the new one, whatever lies between them."""
        destination.put_bytes("dir/a", b"data", create=True)
        destination.put_bytes("dir/ab", b"other", create=True)
        destination.move("dir/a", "_quarantine/run/dir/a")
        assert destination.stat("dir/a") is None
        assert destination.get("_quarantine/run/dir/a", LIMIT) == b"data"
        assert destination.get("dir/ab", LIMIT) == b"other"

    @needs("readable", "removable")
    def test_a_removal_removes_one_object(self, destination: Destination) -> None:
        """``remove`` takes away that object and no other, and an absent one is no error."""
        assert isinstance(destination, RemovableDestination)
        for key in ("a", "ab", "b/c"):
            destination.put_bytes(key, b"x", create=True)
        destination.remove("a")
        destination.remove("a")
        destination.remove("b")
        assert sorted(info.key for info in destination.list("")) == ["ab", "b/c"]

    def test_the_address_is_one_spelling(self, destination: Destination, second: Destination) -> None:
        """``uri`` is the same for every destination over the prefix, ends in a slash, and does not change by a put."""
        before = destination.uri()
        destination.put_bytes("a", b"x", create=True)
        assert before.endswith("/")
        assert {before, destination.uri(), second.uri()} == {before}

    def test_the_address_holds_no_secret(self, destination: Destination, secrets: tuple[str, ...]) -> None:
        """``uri`` and the repr are for reports, so no secret is in them."""
        said = (destination.uri(), repr(destination))
        assert [secret for secret in secrets if any(secret in text for text in said)] == []

    def test_an_unknown_error_is_fatal(self, destination: Destination) -> None:
        """The verdict on an error that the destination does not know is ``FATAL``: a second attempt mends no bug."""
        assert destination.verdict(LookupError("a bug of somebody's")) is Verdict.FATAL

    @needs("conditional create")
    def test_a_refused_create_is_not_tried_again(self, destination: Destination) -> None:
        """The verdict on ``RIVET_DEST_OBJECT_EXISTS`` is ``FATAL``: the object will not go away by itself."""
        destination.put_bytes("a", b"x", create=True)
        with pytest.raises(RivetError) as caught:
            destination.put_bytes("a", b"x", create=True)
        assert destination.verdict(caught.value) is Verdict.FATAL
