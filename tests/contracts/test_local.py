from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from rivet_core.destinations.local.options import LocalOptions
from rivet_core.testing import DestinationContract, PackagingContract, installed


class TestLocal(DestinationContract):
    declaration = installed("destination.local")

    @pytest.fixture
    def options(self, tmp_path: Path) -> LocalOptions:
        return LocalOptions(path=tmp_path / "out" / "prefix")

    @pytest.fixture
    def breaking(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[object]]:
        def fail(descriptor: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        @contextmanager
        def broken() -> Iterator[None]:
            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", fail)
                yield

        return broken


class TestLocalPackaging(PackagingContract):
    entry = "destination.local"

    @pytest.fixture
    def options_text(self) -> str:
        return "path: out/orders"
