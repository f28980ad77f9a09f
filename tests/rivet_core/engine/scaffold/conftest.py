"""Relations as a catalogue would tell of them, and files written from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import pyarrow as pa
import pytest

from rivet_core.config import Configuration, parse
from rivet_core.engine.scaffold.looked import Looked
from rivet_core.plugins import Plugins
from rivet_core.schema import RelationFacts, TableSchema
from rivet_core.types import Column, Fidelity, Table

MOMENT = pa.timestamp("us", "UTC")


@attrs.frozen
class Facts:
    """Makes relations and columns in few words."""

    def column(
        self, name: str, type_: pa.DataType, *, native: str = "native", not_null: bool = False, text: bool = False
    ) -> Column:
        return Column(
            name=name,
            native_type=native,
            field=pa.field(name, type_),
            expression=name,
            not_null=not_null,
            fidelity=Fidelity.TEXT if text else Fidelity.EXACT,
        )

    def looked(
        self, *columns: Column, rows: int | None = None, key: tuple[str, ...] = (), table: Table | None = None
    ) -> Looked:
        return Looked(
            relation=RelationFacts(table=table or Table("t", "s"), estimated_rows=rows, primary_key=key),
            schema=TableSchema(columns=columns),
        )

    @property
    def id(self) -> Column:
        return self.column("id", pa.int64(), not_null=True)

    @property
    def updated(self) -> Column:
        return self.column("updated_at", MOMENT)

    @property
    def created(self) -> Column:
        return self.column("created_at", MOMENT, not_null=True)

    @property
    def name(self) -> Column:
        return self.column("name", pa.string())


@pytest.fixture(scope="session")
def facts() -> Facts:
    return Facts()


@pytest.fixture(scope="session")
def read() -> Callable[[str], Configuration]:
    """Reads a text as the loader reads a file."""
    plugins = Plugins.installed({"RIVET_PLUGINS": ""})

    def read(text: str) -> Configuration:
        return parse(text, plugins, path=Path("/nowhere/rivet.yaml"), file="rivet.yaml", params={}, environ={})

    return read
