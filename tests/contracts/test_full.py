from __future__ import annotations

import pytest

from rivet_core.runners.full.options import FullOptions
from rivet_core.testing import PackagingContract, RunnerContract, installed


class TestFull(RunnerContract):
    declaration = installed("runner.full")

    @pytest.fixture
    def options(self) -> FullOptions:
        return FullOptions()


class TestFullPackaging(PackagingContract):
    entry = "runner.full"

    @pytest.fixture
    def options_text(self) -> str:
        return ""
