"""Overrides of the ``columns:`` key: which word can be had from which type, and how.

What the server would round or cut without a word is refused; what it refuses by itself while reading is allowed.
"""

from __future__ import annotations

import re
from typing import Final

import attrs
import pyarrow as pa

from rivet_core.types import Fidelity
from rivet_source_postgres.catalogue import ColumnFacts
from rivet_source_postgres.hazards import Hazard, hazard
from rivet_source_postgres.numerics import decimal_type
from rivet_source_postgres.selects import COLUMN, TEXT, Select

_DECIMAL: Final = re.compile(r"(?:decimal|numeric)\((\d+)(?:,(-?\d+))?\)")
_INTS: Final = ("int2", "int4", "int8", "oid")
_TEXTS: Final = ("text", "varchar", "bpchar", "name")
_UTC: Final = "{c} AT TIME ZONE 'UTC'"
#: Any type that has no row of its own.
_ANY: Final = "*"


@attrs.frozen(kw_only=True)
class Override:
    """A column's type by the user's wish.

    :param hazard: that some values may have no place in it.
    """

    arrow: pa.DataType
    select: Select
    fidelity: Fidelity
    hazard: Hazard | None


@attrs.frozen(kw_only=True)
class _Target:
    """What a word means: its Arrow type, and the text of the select for each type that it can be had from."""

    arrow: pa.DataType
    exact: tuple[str, ...]
    by: dict[str, str] = attrs.field(factory=dict)
    lossy: dict[str, str] = attrs.field(factory=dict)


def _integer(name: str, arrow: pa.DataType) -> _Target:
    by = {source: f"{{c}}::pg_catalog.{name}" for source in _INTS if source != name}
    # The server has no cast of its own for these two.
    by |= {"bool": f"{{c}}::pg_catalog.int4::pg_catalog.{name}", "oid": f"{{c}}::pg_catalog.int8::pg_catalog.{name}"}
    return _Target(arrow=arrow, exact=(name,), by=by)


def _float(name: str, arrow: pa.DataType, by: tuple[str, ...]) -> _Target:
    lossy = {
        source: f"{{c}}::pg_catalog.{name}"
        for source in (*_INTS, "numeric", "float4", "float8")
        if source not in {name, *by}
    }
    return _Target(arrow=arrow, exact=(name,), by=dict.fromkeys(by, f"{{c}}::pg_catalog.{name}"), lossy=lossy)


def _instant(arrow: pa.DataType) -> _Target:
    by = {"timestamp": _UTC, "date": "{c}::pg_catalog.timestamp AT TIME ZONE 'UTC'"}
    return _Target(arrow=arrow, exact=("timestamptz",), by=by)


def _naive(arrow: pa.DataType) -> _Target:
    return _Target(arrow=arrow, exact=("timestamp",), by={"timestamptz": _UTC, "date": "{c}::pg_catalog.timestamp"})


_TEXT: Final = _Target(arrow=pa.utf8(), exact=_TEXTS, by={_ANY: TEXT.text})
_BINARY: Final = _Target(
    arrow=pa.binary(),
    exact=("bytea",),
    by={
        **dict.fromkeys(_TEXTS, "pg_catalog.convert_to({c}::pg_catalog.text, 'UTF8')"),
        "uuid": "pg_catalog.uuid_send({c})",
    },
)
_JSON: Final = _Target(
    arrow=pa.json_(),
    exact=("json", "jsonb"),
    by={**dict.fromkeys(_TEXTS, "{c}::pg_catalog.json"), _ANY: "pg_catalog.to_jsonb({c})"},
)
_TARGETS: Final[dict[str, _Target]] = {
    "bool": _Target(arrow=pa.bool_(), exact=("bool",)),
    **dict.fromkeys(("smallint", "int2", "int16"), _integer("int2", pa.int16())),
    **dict.fromkeys(("int", "integer", "int4", "int32"), _integer("int4", pa.int32())),
    **dict.fromkeys(("bigint", "int8", "int64"), _integer("int8", pa.int64())),
    **dict.fromkeys(("float4", "real"), _float("float4", pa.float32(), ("int2",))),
    **dict.fromkeys(("float8", "double"), _float("float8", pa.float64(), ("int2", "int4", "float4"))),
    **dict.fromkeys(("text", "varchar", "string", "char", "bpchar", "name"), _TEXT),
    **dict.fromkeys(("binary", "bytea", "blob", "varbinary"), _BINARY),
    "date": _Target(
        arrow=pa.date32(),
        exact=("date",),
        lossy={"timestamp": "{c}::pg_catalog.date", "timestamptz": f"({_UTC})::pg_catalog.date"},
    ),
    **dict.fromkeys(("json", "jsonb"), _JSON),
    "uuid": _Target(arrow=pa.uuid(), exact=("uuid",), by=dict.fromkeys(_TEXTS, f"{TEXT.text}::pg_catalog.uuid")),
    "timestamp": _naive(pa.timestamp("us")),
    "timestamp_ns": _naive(pa.timestamp("ns")),
    **dict.fromkeys(("timestamp_tz", "timestamptz", "timestamp_utc"), _instant(pa.timestamp("us", "UTC"))),
    "timestamp_tz_ns": _instant(pa.timestamp("ns", "UTC")),
}


def override(word: str, facts: ColumnFacts) -> Override | None:
    """Return how a column can be had as a word says, or None when it cannot."""
    word = "".join(word.lower().split())
    target = _decimal(word) if _DECIMAL.fullmatch(word) else _TARGETS.get(word)
    if target is None:
        return None
    name = facts.type.name if facts.type.own and facts.element is None else _ANY
    risk = hazard(name, target.arrow)
    if name in target.exact:
        return Override(arrow=target.arrow, select=COLUMN, fidelity=Fidelity.EXACT, hazard=risk)
    select = target.by.get(name) or target.by.get(_ANY)
    if select is not None:
        fidelity = Fidelity.TEXT if pa.types.is_string(target.arrow) else Fidelity.COMPATIBLE
        return Override(arrow=target.arrow, select=Select(select), fidelity=fidelity, hazard=risk)
    if name in target.lossy:
        select = target.lossy[name]
        return Override(arrow=target.arrow, select=Select(select), fidelity=Fidelity.LOSSY, hazard=risk)
    return None


def _decimal(word: str) -> _Target | None:
    """Return the target of a decimal; what does not fit exactly is found while reading, nothing is rounded."""
    match = _DECIMAL.fullmatch(word)
    precision, scale = (int(part or 0) for part in match.groups()) if match else (0, 0)
    arrow = decimal_type(precision, scale) if precision >= 1 and scale <= precision else None
    if arrow is None:
        return None
    return _Target(
        arrow=arrow, exact=("numeric",), by=dict.fromkeys((*_INTS, *_TEXTS, "money"), "{c}::pg_catalog.numeric")
    )
