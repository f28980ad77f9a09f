"""Names and texts as SQL; nothing of a user's reaches a statement but through here."""

from __future__ import annotations

from typing import Final

from rivet_core.types import Query, Relation, Table
from rivet_source_postgres.statements import subquery_text

#: The relation's name in every statement; keys are qualified with it, since an unqualified name in ``ORDER BY`` would
#: mean the output column, which may be text.
ALIAS: Final = "_rivet"


def identifier(name: str) -> str:
    """Return a name as a quoted identifier."""
    if "\0" in name:
        msg = "a name cannot hold the character NUL"
        raise ValueError(msg)
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as a literal, whatever ``standard_conforming_strings`` is."""
    if "\0" in text:
        msg = "a text cannot hold the character NUL"
        raise ValueError(msg)
    quoted = text.replace("'", "''")
    return " E'" + quoted.replace("\\", "\\\\") + "'" if "\\" in quoted else f"'{quoted}'"


def from_item(relation: Relation) -> str:
    """Return the relation as an item of ``FROM``, under :data:`ALIAS`."""
    match relation:
        case Table(name=name, schema=schema):
            return f"{'' if schema is None else identifier(schema) + '.'}{identifier(name)} AS {ALIAS}"
        case Query(text=text):
            # The newline ends a comment that the user's statement may end with.
            return f"(\n{subquery_text(text)}\n) AS {ALIAS}"
