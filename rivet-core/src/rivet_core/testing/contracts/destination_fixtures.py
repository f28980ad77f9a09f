"""What an author of a destination gives to its contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.protocols import Destination
from rivet_core.testing.contract import Contract, lacks

#: More than any control object of the kit.
LIMIT = 64 * 1024 * 1024
WriteFile = Callable[[bytes], Path]


class DestinationFixtures(Contract, sealed=True):
    """The fixtures of a destination's contract."""

    seam = "destination"
    assumed = DestinationCapabilities()
    gives: ClassVar[frozenset[str]] = frozenset(
        {"options", "destination", "second", "breaking", "received", "secrets", "large", "listing_page"}
    )
    requirements: ClassVar[Mapping[str, Callable[[DestinationCapabilities], bool]]] = {
        "readable": lambda can: can.readable,
        "durable": lambda can: can.durable,
        "conditional create": lambda can: can.conditional_create,
        "removable": lambda can: can.removable,
        "md5": lambda can: can.md5,
        "putting only": lambda can: not can.readable,
    }

    #: Bytes of an object that takes more than one chunk to send.
    large: ClassVar[int] = 17 * 1024 * 1024 + 1
    #: Objects that the store lists at one time.
    listing_page: ClassVar[int] = 1000

    # -- given ------------------------------------------------------------

    @pytest.fixture
    def options(self) -> Any:
        """Give an instance of the declaration's options, for an empty prefix; or give ``destination`` itself."""
        pytest.fail("the destination contract needs the fixture `destination`, or `options` and `declaration`")

    @pytest.fixture
    def destination(self, options: Any) -> Iterator[Destination]:
        """Give a destination over an empty prefix; without this fixture the declaration's factory makes it."""
        made: Destination = type(self).declaration.factory(options)
        yield made
        made.close()

    @pytest.fixture
    def second(self, request: pytest.FixtureRequest) -> Iterator[Destination]:
        """Give another destination over the same prefix; made by the factory where ``options`` are given."""
        if type(self).declaration is None:
            lacks("no `second`: the kit was given one destination over this prefix")
        made: Destination = type(self).declaration.factory(request.getfixturevalue("options"))
        yield made
        made.close()

    @pytest.fixture
    def breaking(self) -> Callable[[], AbstractContextManager[object]]:
        """Give a block in which every put breaks off half-way, where that can be arranged."""
        lacks("no `breaking`: nothing makes a put of this store break off half-way")

    @pytest.fixture
    def received(self) -> Callable[[], bytes]:
        """Give a function that returns all bytes that arrived; for a destination that can only be put to."""
        pytest.fail("a destination that cannot be read needs the fixture `received`")

    @pytest.fixture
    def secrets(self) -> tuple[str, ...]:
        """Give every secret in the options, as plain text."""
        return ()

    # -- ours -------------------------------------------------------------

    @pytest.fixture
    def write_file(self, tmp_path: Path) -> WriteFile:
        """Return a function that makes a local file of these bytes."""
        folder = tmp_path / "kit"
        folder.mkdir()

        def write(data: bytes) -> Path:
            path = folder / f"file-{len(list(folder.iterdir()))}"
            path.write_bytes(data)
            return path

        return write
