"""Type words that a user gives for a column, and whether this source can deliver them."""

from __future__ import annotations

import re
from typing import Final

import pyarrow as pa

from rivet_core.sources.sqlite.types import JSON, UTC, UUID, Mapping, affinity, decimal_type, exact_text
from rivet_core.types import Fidelity

_DECIMAL = re.compile(r"^(?:decimal|numeric)\(\s*(\d+)\s*,\s*(\d+)\s*\)$")
_WORDS: Final = {
    **dict.fromkeys(("bool", "boolean"), pa.bool_()),
    **dict.fromkeys(("smallint", "int2", "int16"), pa.int16()),
    **dict.fromkeys(("int", "integer", "int4", "int32"), pa.int32()),
    **dict.fromkeys(("bigint", "int8", "int64"), pa.int64()),
    **dict.fromkeys(("float4", "real"), pa.float32()),
    **dict.fromkeys(("float8", "double"), pa.float64()),
    **dict.fromkeys(("text", "varchar", "string", "char", "bpchar", "name"), pa.utf8()),
    **dict.fromkeys(("binary", "bytea", "blob", "varbinary"), pa.binary()),
    **dict.fromkeys(("json", "jsonb"), JSON),
    "date": pa.date32(),
    "uuid": UUID,
    "timestamp": pa.timestamp("us"),
    "timestamp_ns": pa.timestamp("ns"),
    **dict.fromkeys(("timestamp_tz", "timestamptz", "timestamp_utc"), pa.timestamp("us", UTC)),
    "timestamp_tz_ns": pa.timestamp("ns", UTC),
}


def override(word: str, declared: str) -> Mapping | None:
    """Return the mapping that a type word asks for, or None when values of this declaration cannot become it."""
    found = _type(word.strip().lower())
    if found is None:
        return None
    if found == pa.utf8():
        return Mapping(type=found) if affinity(declared) == "TEXT" else exact_text("asked for as text")
    if not _deliverable(found, affinity(declared)):
        return None
    fidelity = Fidelity.LOSSY if found == pa.float32() else Fidelity.EXACT
    return Mapping(type=found, fidelity=fidelity, remark=f"asked for as {word}")


def _type(word: str) -> pa.DataType | None:
    decimal = _DECIMAL.match(word)
    if decimal:
        return decimal_type(int(decimal[1]), int(decimal[2]))
    return _WORDS.get(word)


def _deliverable(wanted: pa.DataType, stored: str) -> bool:
    """Return whether some value that SQLite keeps under this affinity has the wanted meaning."""
    numbers = bool(pa.types.is_boolean(wanted) or pa.types.is_integer(wanted) or pa.types.is_floating(wanted))
    match stored:
        case "INTEGER" | "REAL":
            return numbers or bool(pa.types.is_decimal(wanted))
        case "TEXT":
            return not numbers
        case "BLOB":
            return wanted in {pa.binary(), UUID}
        case _:
            return True
