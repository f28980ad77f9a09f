from __future__ import annotations

from collections.abc import Callable

import pytest

from rivet_core.destinations.stdout.options import StdoutOptions
from rivet_core.testing import DestinationContract, PackagingContract, installed


class TestStdout(DestinationContract):
    declaration = installed("destination.stdout")

    @pytest.fixture
    def options(self) -> StdoutOptions:
        return StdoutOptions()

    @pytest.fixture
    def received(self, capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[[], bytes]:
        return lambda: capfdbinary.readouterr().out


class TestStdoutPackaging(PackagingContract):
    entry = "destination.stdout"

    @pytest.fixture
    def options_text(self) -> str:
        return ""
