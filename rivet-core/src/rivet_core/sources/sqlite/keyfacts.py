"""Which columns a request compares by, and what the catalogue says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    Coalesce,
    IsNull,
    KeyExpression,
    Keys,
    ReadRequest,
    Since,
    Until,
)
from rivet_core.sources.sqlite.catalogue import columns_of, compares_bytes
from rivet_core.sources.sqlite.statement import KeyFacts

if TYPE_CHECKING:
    import sqlite3

    from rivet_core.types import Relation


def key_columns(request: ReadRequest, order: Keys) -> tuple[str, ...]:
    """Return the columns by which the request and this order compare, each once."""
    names: dict[str, None] = {}
    for key in order:
        names.update(dict.fromkeys(_columns(key)))
    for term in request.terms:
        match term:
            case After() | AtOrAfter() | Until():
                names.update(dict.fromkeys(name for key in term.keys for name in _columns(key)))
            case Between() | IsNull():
                names.update(dict.fromkeys(_columns(term.key)))
            case Since():
                names[term.column] = None
    return tuple(names)


def key_facts(connection: sqlite3.Connection, relation: Relation, columns: tuple[str, ...]) -> KeyFacts:
    """Return what the catalogue says of these columns now."""
    if not columns:
        return KeyFacts()
    known = {column.name: column for column in columns_of(connection, relation)}
    return KeyFacts(
        not_null=frozenset(name for name, column in known.items() if column.not_null),
        collated=frozenset(name for name in columns if not compares_bytes(connection, relation, name)),
        dates=frozenset(name for name, column in known.items() if column.declared.upper() == "DATE"),
    )


def _columns(key: KeyExpression) -> tuple[str, ...]:
    return key.columns if isinstance(key, Coalesce) else (key.name,)
