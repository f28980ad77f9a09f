"""The strangers in memory are held to the contracts as everybody is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
import stretch_arrow
import stretch_put_only
import stretch_runners

from rivet_core.testing import DestinationContract, FormatContract, RunnerContract


class TestSeek(RunnerContract):
    declaration = stretch_runners.SEEK

    @pytest.fixture
    def options(self) -> stretch_runners.SeekMode:
        return stretch_runners.SeekMode(rows=4, ranges=3)


class TestTail(RunnerContract):
    declaration = stretch_runners.TAIL

    @pytest.fixture
    def options(self) -> stretch_runners.SeekMode:
        return stretch_runners.SeekMode(rows=4)


class TestArrowFiles(FormatContract):
    declaration = stretch_arrow.FORMAT

    @pytest.fixture
    def options(self) -> stretch_arrow.ArrowOptions:
        return stretch_arrow.ArrowOptions()

    @pytest.fixture
    def read_back(self) -> Callable[[Path, pa.Schema], pa.Table]:
        def read_back(path: Path, schema: pa.Schema) -> pa.Table:
            with pa.ipc.open_file(pa.py_buffer(path.read_bytes())) as file:
                return file.read_all().cast(schema)

        return read_back


class TestPutOnly(DestinationContract):
    declaration = stretch_put_only.DESTINATION

    @pytest.fixture
    def options(self, tmp_path: Path) -> stretch_put_only.PutOnlyOptions:
        return stretch_put_only.PutOnlyOptions(folder=tmp_path / "mailbox")

    @pytest.fixture
    def received(self, tmp_path: Path) -> Callable[[], bytes]:
        folder = tmp_path / "mailbox"
        return lambda: b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
