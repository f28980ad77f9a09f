"""What a loader finds: rows through the manifest and by DuckDB, as the server's own texts.

Each Arrow type has one rule; a type without a rule fails the test that meets it.
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import attrs
import duckdb
import pyarrow as pa

_CSV = (
    "read_csv(?, auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '',"
    " allow_quoted_nulls = false, parallel = false, max_line_size = 100000000, new_line = '\\n', columns = {columns})"
)
_MOMENT = re.compile(r"(?P<year>[+-]?\d+)(?P<day>-\d\d-\d\d)(?:T(?P<time>[\d:.]+))?(?P<zone>Z?)")


def same(text: str) -> str:
    return text


def float64_bits(text: str) -> str:
    return struct.pack(">d", float(text)).hex()


def float32_bits(text: str) -> str:
    return struct.pack(">f", float(text)).hex()


def decimal_digits(text: str) -> str:
    # DuckDB leaves out the zero before the point where all digits are behind it.
    return format(Decimal(text), "f")


def truth(text: str) -> str:
    return {"true": "t", "false": "f"}[text]


def clock(text: str) -> str:
    return text.rstrip("0").removesuffix(".")


def moment(text: str) -> str:
    """ISO 8601 as the server writes it: years from 1 on, with the era behind everything."""
    found = _MOMENT.fullmatch(text)
    assert found is not None, text
    year = int(found["year"])
    time = "" if found["time"] is None else f" {clock(found['time'])}"
    zone = "+00" if found["zone"] else ""
    era = " BC" if year <= 0 else ""
    return f"{year if year > 0 else 1 - year:04}{found['day']}{time}{zone}{era}"


@attrs.frozen(kw_only=True)
class Rule:
    """How cells of one Arrow type are compared.

    :param parquet: what DuckDB is asked for a column ``{c}`` of a Parquet file.
    :param csv: makes the server's text of the cell of a CSV file.
    :param meaning: all texts, the server's too, go through it before they are compared.
    """

    parquet: str = "CAST({c} AS VARCHAR)"
    csv: Callable[[str], str] = same
    meaning: Callable[[str], str] = same


#: DuckDB writes the era between the date and the time, and in brackets.
_ERA = r"regexp_replace(CAST({c} AS VARCHAR), '^(\S+) \(BC\)(.*)$', '\1\2 BC')"

RULES: dict[str, Rule] = {
    "bool": Rule(parquet="CASE {c} WHEN true THEN 't' WHEN false THEN 'f' END", csv=truth),
    "int16": Rule(),
    "int32": Rule(),
    "int64": Rule(),
    "float": Rule(meaning=float32_bits),
    "double": Rule(meaning=float64_bits),
    "decimal128": Rule(meaning=decimal_digits),
    "string": Rule(parquet="{c}"),
    "binary": Rule(parquet="'\\x' || lower(hex({c}))", csv=lambda text: rf"\x{text}"),
    "date32[day]": Rule(parquet=_ERA, csv=moment),
    "time64[us]": Rule(csv=clock),
    "timestamp[us]": Rule(parquet=_ERA, csv=moment),
    "timestamp[us, tz=UTC]": Rule(parquet=_ERA, csv=moment),
    "extension<arrow.json>": Rule(),
    "extension<arrow.uuid>": Rule(),
}


def rule(kind: pa.DataType) -> Rule:
    """The rule of a type; decimals of every precision that DuckDB has share one."""
    return RULES["decimal128" if pa.types.is_decimal128(kind) else str(kind)]


@attrs.frozen(kw_only=True)
class Delivered:
    """What the manifest of a prefix vouches for.

    :param files: in the manifest's order; at least one.
    :param schema: as the manifest has it.
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
        schema = pa.ipc.read_schema(pa.py_buffer(b64decode(manifest["arrow_schema"])))
        return cls(manifest=manifest, files=files, schema=schema)

    def types(self) -> dict[str, str]:
        """The Arrow type of each column; of a list without the name of its items, which files differ in."""
        return {field.name: _shown(field.type) for field in self.schema}

    def lists(self) -> list[bool]:
        """Which columns hold lists."""
        return [pa.types.is_list(field.type) for field in self.schema]

    def rows(self) -> list[tuple[Any, ...]]:
        """Every row, its cells as texts, lists as lists of texts, NULL as None."""
        # By place: DuckDB takes names that differ in case alone for one.
        columns = [f"c{place}" for place in range(len(self.schema))]
        if self.manifest["format"] == "csv":
            found = _asked(_CSV.format(columns=dict.fromkeys(columns, "VARCHAR")), columns, self.files)
            rules = [rule(field.type).csv for field in self.schema]
            return [
                tuple(None if cell is None else made(cell) for cell, made in zip(row, rules, strict=True))
                for row in found
            ]
        shown = [_rendered(column, field.type) for column, field in zip(columns, self.schema, strict=True)]
        return _asked(f"read_parquet(?) AS t({', '.join(columns)})", shown, self.files)

    def meant(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A row, of DuckDB or of the server, as the rules of its columns compare it."""
        return tuple(_meant(field.type, cell) for field, cell in zip(self.schema, row, strict=True))


def _asked(source: str, shown: list[str], files: tuple[str, ...]) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.execute("SET timezone = 'UTC'")
        return connection.execute(f"SELECT {', '.join(shown)} FROM {source}", [list(files)]).fetchall()


def _shown(kind: pa.DataType) -> str:
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def _meant(kind: pa.DataType, cell: Any) -> Any:
    if cell is None:
        return None
    if pa.types.is_list(kind):
        meaning = rule(kind.value_type).meaning
        return tuple(None if item is None else meaning(item) for item in cell)
    return rule(kind).meaning(cell)


def _rendered(column: str, kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list_transform({column}, lambda x: {rule(kind.value_type).parquet.format(c='x')})"
    return rule(kind).parquet.format(c=column)
