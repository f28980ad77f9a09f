"""Positions: the tags of key values, and those values as literals; nothing here compares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rivet_core.errors import RefusalError
from rivet_core.types import Position
from rivet_source_postgres.quoting import literal

if TYPE_CHECKING:
    from rivet_source_postgres.catalogue import TypeName

#: Types whose values compare with each other, under the tag of the widest. A literal of it serves an index on any.
_TAGS: Final = {
    "int2": "int64",
    "int4": "int64",
    "int8": "int64",
    "oid": "int64",
    "varchar": "text",
}
#: The types of tags, ours and what runners and other sources call them.
_CASTS: Final = {
    "int64": "int8", "int32": "int8", "int16": "int8", "int8": "int8", "int4": "int8", "int2": "int8",
    "uint64": "numeric", "uint32": "int8", "text": "text", "string": "text", "utf8": "text", "varchar": "text",
    "bpchar": "bpchar", "name": "name", "date": "date", "date32": "date", "time": "time", "timestamp": "timestamp",
    "timestamptz": "timestamptz", "timestamp_tz": "timestamptz", "numeric": "numeric", "decimal": "numeric",
    "float8": "float8", "float64": "float8", "float4": "float4", "float32": "float4", "bool": "bool", "uuid": "uuid",
    "bytea": "bytea",
}  # fmt: skip
#: Any other tag is a type's quoted name with its schema.
_QUALIFIED: Final = re.compile(r'"(?:[^"\0]|"")+"\."(?:[^"\0]|"")+"')


#: Types of which equal values have equal texts.
_PLAIN: Final = frozenset(
    {
        "bool", "bpchar", "bytea", "date", "int2", "int4", "int8", "name", "oid", "text", "time", "timestamp",
        "timestamptz", "uuid", "varchar",
    }
)  # fmt: skip


def equal_by_text(type_: TypeName) -> bool:
    """Return whether two values of a type are equal exactly when their texts are."""
    return type_.kind == "e" or (type_.own and type_.name in _PLAIN)


def tag(type_: TypeName) -> str:
    """Return the tag of a key's type."""
    if type_.own:
        name = _TAGS.get(type_.name, type_.name)
        if name in _CASTS:
            return name
    return type_.quoted


def is_foreign(position: Position) -> bool:
    """Return whether the value of one key is of a type that is not the server's own."""
    return position.type not in _CASTS and not position.type.startswith('"pg_catalog".')


def typed_literal(position: Position) -> str:
    """Return the value of one key as a literal of its type.

    :raises RefusalError: for a tag that is no type of ours.
    """
    if position.type in _CASTS:
        name = f'pg_catalog."{_CASTS[position.type]}"'
    elif _QUALIFIED.fullmatch(position.type):
        name = position.type
    else:
        name = ""
    if not name or not isinstance(position.value, str):
        msg = f"a position of the type {position.type} cannot be a key of PostgreSQL"
        raise RefusalError(
            msg,
            code="RIVET_STATE_POSITION_MISMATCH",
            remedy="The position comes from another source: give the export another name, or start it afresh.",
        )
    return f"{literal(position.value).strip()}::{name}"
