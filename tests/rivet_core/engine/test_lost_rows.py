"""Whole runs with a stranger's format that loses rows: they may end in anything but a success."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import attrs
import pyarrow as pa
import pytest
from crash_world import World, check_delivery
from ledger_worlds import fresh
from stretch_arrow import FORMAT, ArrowFormat, ArrowWriter

from rivet_core.errors import Exit


class Silent(ArrowWriter):
    """Writes nothing for rows."""

    def __init__(self, out: BinaryIO, schema: pa.Schema) -> None:
        del schema
        self._out = out

    def write(self, batch: pa.RecordBatch) -> None:
        del batch

    def finish(self) -> None:
        """Nothing was begun."""


class SilentFormat(ArrowFormat):
    def writer(self, out: BinaryIO, schema: pa.Schema) -> ArrowWriter:
        return Silent(out, schema)


def losing(name: str, folder: Path) -> World:
    """Return a world whose format writes nothing."""
    return attrs.evolve(fresh(name, folder), format=attrs.evolve(FORMAT, factory=SilentFormat))


@pytest.mark.parametrize("name", ["full", "seek", "stream"])
def test_rows_that_a_format_does_not_write_are_no_success(name: str, tmp_path: Path) -> None:
    outcome = losing(name, tmp_path).run(tmp_path)
    assert outcome.error is not None
    assert (outcome.error.code, outcome.exit, outcome.status) == ("RIVET_INTERNAL_CONTRACT", Exit.INTERNAL, "open")
    assert not list((tmp_path / "out").rglob("*manifest*"))


def test_the_next_run_with_a_sound_format_delivers_them(tmp_path: Path) -> None:
    world = losing("full", tmp_path)
    assert world.run(tmp_path).error is not None
    sound = attrs.evolve(world, format=FORMAT)
    assert sound.run(tmp_path).error is None
    check_delivery(sound, tmp_path)
