"""From a declared type to an Arrow type. The table below is the documentation of it.

SQLite checks values only in STRICT tables, so a declared type is a promise of the user's; a value that breaks it is
never bent: it is refused by name, or follows ``on_invalid_value``.

==============================  ==================  ===============================================================
declared (any case)             Arrow               the values that keep the promise
==============================  ==================  ===============================================================
BOOL, BOOLEAN                   bool                the integers 0 and 1
DATE                            date32              text ``YYYY-MM-DD``
TIME                            time64[us]          text ``HH:MM``, ``HH:MM:SS``, up to six fractional digits
DATETIME, TIMESTAMP             timestamp[us]       text ``YYYY-MM-DD``, or with `` `` or ``T`` and a time; no zone
TIMESTAMPTZ, TIMESTAMP WITH     timestamp[us, UTC]  the same with ``Z`` or an offset behind it
TIME ZONE, DATETIMEOFFSET
DECIMAL(p,s), NUMERIC(p,s)      decimal(p,s)        integers; reals that are the nearest real to a decimal of at most
                                                    15 digits, s of them behind the point; decimal text
DECIMAL, NUMERIC alone          exact text          everything
UUID, GUID, UNIQUEIDENTIFIER    arrow.uuid          text with or without hyphens, 16 bytes
JSON, JSONB                     arrow.json          text, and numbers, which SQLite makes of bare JSON numbers
ANY in a STRICT table, none,    exact text          everything
expressions of views, queries
otherwise by affinity:
  contains INT                  int64               integers
  contains CHAR, CLOB, TEXT     utf8                text
  contains BLOB                 binary              blobs
  contains REAL, FLOA, DOUB     float64             reals, integers that a real holds exactly
  the rest (NUMERIC affinity)   exact text          everything
==============================  ==================  ===============================================================

Dates are text only: whether an integer means seconds, milliseconds or days, nobody can know; ask for ``bigint``, or
convert in a query. SQLite keeps no decimals, only 64-bit integers and binary reals. Fifteen digits come through a real
unharmed, so that decimal arrives; a real with more digits was rounded by SQLite already, and is refused.
"""

from __future__ import annotations

import re
from typing import Final

import attrs
import pyarrow as pa

from rivet_core.types import Fidelity

JSON: Final = pa.json_(pa.utf8())
UUID: Final = pa.uuid()
UTC: Final = "UTC"

_PARTS = re.compile(r"^(?P<word>[^(]*)(?:\((?P<args>[^)]*)\))?(?P<rest>.*)$", re.DOTALL)
_NAMED: Final = {
    "BOOL": pa.bool_(),
    "BOOLEAN": pa.bool_(),
    "DATE": pa.date32(),
    "TIME": pa.time64("us"),
    "TIME WITHOUT TIME ZONE": pa.time64("us"),
    "DATETIME": pa.timestamp("us"),
    "TIMESTAMP": pa.timestamp("us"),
    "TIMESTAMP WITHOUT TIME ZONE": pa.timestamp("us"),
    "TIMESTAMPTZ": pa.timestamp("us", UTC),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", UTC),
    "DATETIMEOFFSET": pa.timestamp("us", UTC),
    "UUID": UUID,
    "GUID": UUID,
    "UNIQUEIDENTIFIER": UUID,
    "JSON": JSON,
    "JSONB": JSON,
}
_DECIMALS: Final = frozenset({"DECIMAL", "NUMERIC", "DEC", "NUMBER"})


@attrs.frozen(kw_only=True)
class Mapping:
    """What a declared type becomes; ``fidelity`` TEXT takes a value of any storage class."""

    type: pa.DataType
    fidelity: Fidelity = Fidelity.EXACT
    remark: str = ""


def affinity(declared: str) -> str:
    """Return SQLite's own type affinity: ``INTEGER``, ``TEXT``, ``BLOB``, ``REAL``, ``NUMERIC``, or empty for none."""
    name = declared.upper()
    if not name or name == "ANY":
        return ""
    if "INT" in name:
        return "INTEGER"
    if any(part in name for part in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in name:
        return "BLOB"
    if any(part in name for part in ("REAL", "FLOA", "DOUB")):
        return "REAL"
    return "NUMERIC"


def mapping(declared: str) -> Mapping:
    """Return what a declared type becomes."""
    match = _PARTS.match(declared.upper())
    word, arguments = (match["word"] + match["rest"], match["args"]) if match else (declared.upper(), None)
    word = " ".join(word.split())
    if word in _NAMED:
        return Mapping(type=_NAMED[word])
    if word in _DECIMALS:
        return _decimal(arguments)
    match affinity(declared):
        case "INTEGER":
            return Mapping(type=pa.int64())
        case "TEXT":
            return Mapping(type=pa.utf8())
        case "BLOB":
            return Mapping(type=pa.binary())
        case "REAL":
            return Mapping(type=pa.float64())
        case "NUMERIC":
            return exact_text("the type says too little about the values")
        case _:
            return exact_text("no declared type")


def exact_text(remark: str) -> Mapping:
    """Return the mapping that takes any value: the text that reads back as the same value."""
    return Mapping(type=pa.utf8(), fidelity=Fidelity.TEXT, remark=remark)


def decimal_type(precision: int, scale: int) -> pa.DataType | None:
    """Return the Arrow decimal, or None when there is none."""
    if not (1 <= precision <= 76 and 0 <= scale <= precision):
        return None
    return pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)


def _decimal(arguments: str | None) -> Mapping:
    digits = [part.strip() for part in (arguments or "").split(",")]
    if 1 <= len(digits) <= 2 and all(part.isdigit() for part in digits):
        found = decimal_type(int(digits[0]), int(digits[1]) if len(digits) == 2 else 0)
        if found is not None:
            return Mapping(type=found, remark="reals of more than 15 digits are refused: SQLite had rounded them")
    return exact_text("a decimal without a usable precision; override with decimal(p,s)")
