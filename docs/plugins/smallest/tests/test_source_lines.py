"""The whole test module of the plugin: what it gives to the contracts, and nothing that the contracts test already."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from rivet_source_lines.plugin import LinesOptions

from rivet_core.testing import Filled, PackagingContract, Sample, SourceContract, Typed, installed, row_texts
from rivet_core.types import Relation, Table


class TestLines(SourceContract):
    declaration = installed("source.lines")
    waived = {"test_columns_can_be_chosen": "there is one column"}  # noqa: RUF012 - the contract's own attribute

    @pytest.fixture
    def options(self, tmp_path: Path) -> LinesOptions:
        return LinesOptions(folder=tmp_path)

    @pytest.fixture
    def insert(self, tmp_path: Path) -> Callable[[Relation, pa.Table], None]:
        def insert(relation: Relation, rows: pa.Table) -> None:
            with (tmp_path / str(relation)).open("a", encoding="utf-8") as file:
                file.writelines(f"{text}\n" for text in row_texts(rows))

        return insert

    @pytest.fixture
    def fill(self, tmp_path: Path, insert: Callable[[Relation, pa.Table], None]) -> Callable[[Sample], Filled]:
        def fill(sample: Sample) -> Filled:
            relation = Table(sample.name)
            (tmp_path / sample.name).write_bytes(b"")
            insert(relation, sample.rows)
            return Filled(relation=relation, rows=lines(row_texts(sample.rows)))

        return fill

    @pytest.fixture
    def typed(self, tmp_path: Path) -> Typed:
        (tmp_path / "typed.txt").write_text("first\n\näöü 日本 🐘\nlast, without an end", encoding="utf-8")
        return Typed(relation=Table("typed.txt"), expected=lines(["first", "", "äöü 日本 🐘", "last, without an end"]))


class TestLinesPackaging(PackagingContract):
    entry = "source.lines"

    @pytest.fixture
    def options_text(self) -> str:
        return "folder: logs"


def lines(texts: list[str]) -> pa.Table:
    return pa.table({"line": pa.array(texts, pa.string())})
