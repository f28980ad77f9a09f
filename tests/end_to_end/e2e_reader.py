"""What a loader finds: rows through the manifest and by DuckDB, as the server's own texts.

Each Arrow type has one rule; a type without a rule fails the test that meets it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import attrs
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def same(text: str) -> str:
    return text


def float64_bits(text: str) -> str:
    return struct.pack(">d", float(text)).hex()


def float32_bits(text: str) -> str:
    return struct.pack(">f", float(text)).hex()


@attrs.frozen
class Rule:
    """How cells of one Arrow type are compared.

    :param duckdb: gives the cell as text; ``{c}`` is the column.
    :param meaning: both texts, DuckDB's and the server's, go through it before they are compared.
    """

    duckdb: str
    meaning: Callable[[str], str] = same


#: DuckDB writes the era between the date and the time, and in brackets.
_ERA = r"regexp_replace(CAST({c} AS VARCHAR), '^(\S+) \(BC\)(.*)$', '\1\2 BC')"

RULES: dict[str, Rule] = {
    "bool": Rule("CASE {c} WHEN true THEN 't' WHEN false THEN 'f' END"),
    "int16": Rule("CAST({c} AS VARCHAR)"),
    "int32": Rule("CAST({c} AS VARCHAR)"),
    "int64": Rule("CAST({c} AS VARCHAR)"),
    "float": Rule("CAST({c} AS VARCHAR)", float32_bits),
    "double": Rule("CAST({c} AS VARCHAR)", float64_bits),
    # DuckDB leaves out the zero before the point where all digits are behind it.
    "decimal128": Rule("CAST({c} AS VARCHAR)", lambda text: format(Decimal(text), "f")),
    "string": Rule("{c}"),
    "binary": Rule("'\\x' || lower(hex({c}))"),
    "date32[day]": Rule(_ERA),
    "time64[us]": Rule("CAST({c} AS VARCHAR)"),
    "timestamp[us]": Rule(_ERA),
    "timestamp[us, tz=UTC]": Rule(_ERA),
    "extension<arrow.json>": Rule("CAST({c} AS VARCHAR)"),
    "extension<arrow.uuid>": Rule("CAST({c} AS VARCHAR)"),
}


def rule_name(kind: pa.DataType) -> str:
    """The key of :data:`RULES`; decimals of every precision that DuckDB has share one."""
    return "decimal128" if pa.types.is_decimal128(kind) else str(kind)


@attrs.frozen(kw_only=True)
class Delivered:
    """What the manifest of a prefix vouches for.

    :param files: in the manifest's order; at least one.
    :param schema: the Arrow schema in the first file.
    """

    manifest: dict[str, Any]
    files: tuple[str, ...]
    schema: pa.Schema

    @classmethod
    def at(cls, prefix: Path) -> Self:
        """Reads the manifest of a prefix that a loader would take."""
        assert (prefix / "_SUCCESS").exists(), f"there is no finished dataset at {prefix}"
        manifest = json.loads((prefix / "manifest.json").read_text(encoding="utf-8"))
        files = tuple(str(prefix / part["path"]) for part in manifest["parts"])
        return cls(manifest=manifest, files=files, schema=pq.read_schema(files[0]))

    def types(self) -> dict[str, str]:
        """The Arrow type of each column; of a list without the name of its items, which files differ in."""
        return {field.name: _shown(field.type) for field in self.schema}

    def rows(self) -> list[tuple[Any, ...]]:
        """Every row, its cells as texts, lists as lists of texts, NULL as None."""
        # By place: DuckDB takes names that differ in case alone for one.
        fields = list(self.schema)
        columns = [f"c{place}" for place in range(len(fields))]
        shown = ", ".join(_rendered(column, field.type) for column, field in zip(columns, fields, strict=True))
        with duckdb.connect() as connection:
            connection.execute("SET timezone = 'UTC'")
            source = f"read_parquet(?) AS t({', '.join(columns)})"
            return connection.execute(f"SELECT {shown} FROM {source}", [list(self.files)]).fetchall()

    def meant(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row, of DuckDB or of the server, as the rules of its columns compare it."""
        return tuple(_meant(field.type, cell) for field, cell in zip(self.schema, row, strict=True))


def _shown(kind: pa.DataType) -> str:
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def _meant(kind: pa.DataType, cell: Any) -> Any:
    if cell is None:
        return None
    if pa.types.is_list(kind):
        meaning = RULES[rule_name(kind.value_type)].meaning
        return tuple(None if item is None else meaning(item) for item in cell)
    return RULES[rule_name(kind)].meaning(cell)


def _rendered(column: str, kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list_transform({column}, lambda x: {RULES[rule_name(kind.value_type)].duckdb.format(c='x')})"
    return RULES[rule_name(kind)].duckdb.format(c=column)
