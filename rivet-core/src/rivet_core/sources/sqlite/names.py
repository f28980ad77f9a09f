"""How relations and their columns are spelled in statements."""

from __future__ import annotations

import hashlib

from rivet_core.types import Query, Relation, Table


def quote(name: str) -> str:
    """Return the name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def view_name(query: Query) -> str:
    """Return the name of the temporary view that stands for a user's query."""
    return "_rivet_" + hashlib.sha256(query.text.encode()).hexdigest()[:16]


def schema_and_name(relation: Relation) -> tuple[str, str]:
    """Return where the relation lies, unquoted."""
    match relation:
        case Table(name=name, schema=schema):
            return schema or "main", name
        case Query():
            return "temp", view_name(relation)


def from_clause(relation: Relation) -> str:
    """Return what follows ``FROM``."""
    schema, name = schema_and_name(relation)
    return f"{quote(schema)}.{quote(name)} AS {_alias(relation)}"


def reference(relation: Relation, column: str) -> str:
    """Return the qualified column.

    SQLite takes an unknown name in double quotes for a string, so that a dropped column would read as its own name;
    a qualified name has no such second meaning.
    """
    return f"{_alias(relation)}.{quote(column)}"


def _alias(relation: Relation) -> str:
    return quote(relation.name) if isinstance(relation, Table) else quote("query")
