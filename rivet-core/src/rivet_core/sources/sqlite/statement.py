"""From a read request to SQL; pure, given what the catalogue says of the keys.

Order is SQLite's own: NULL, numbers, text by its bytes, blobs. A column of another collation is compared by its bytes
all the same, since a key that is unique under a coarser collation is unique under that too.
"""

from __future__ import annotations

from typing import Any

import attrs

from rivet_core.errors import InternalError
from rivet_core.requests import (
    After,
    AtOrAfter,
    Between,
    Coalesce,
    ColumnKey,
    IsNull,
    KeyExpression,
    Keys,
    ReadRequest,
    Since,
    SourceRange,
    Term,
    Until,
)
from rivet_core.sources.sqlite.names import from_clause, quote, reference
from rivet_core.sources.sqlite.positions import bindings
from rivet_core.types import Relation


@attrs.frozen(kw_only=True)
class KeyFacts:
    """What of the relation's columns matters for comparing them.

    :param not_null: columns that have no NULL.
    :param collated: columns that have another collation than ``BINARY``.
    :param dates: columns declared as ``DATE``.
    """

    not_null: frozenset[str] = frozenset()
    collated: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()


@attrs.frozen(kw_only=True)
class Statement:
    """A statement; its rows hold the request's columns, then ``flags``, then the keys of the order.

    :param flags: for which columns, by their place, a flag follows that is 1 where the stored value is not NULL.
    """

    sql: str
    parameters: tuple[Any, ...]
    flags: tuple[int, ...] = ()


def select(request: ReadRequest, relation: Relation, facts: KeyFacts) -> Statement:
    """Return the statement that reads the request."""
    plain = [reference(relation, column.name) for column in request.columns]
    flags = tuple(at for at, column in enumerate(request.columns) if column.expression != plain[at])
    items = [f"{column.expression} AS {quote(column.name)}" for column in request.columns]
    items += [f"{plain[at]} IS NOT NULL" for at in flags]
    items += [_key(relation, key, facts) for key in request.order]
    where, parameters = _where(request, relation, facts)
    sql = f"SELECT {', '.join(items) or '1'} FROM {from_clause(relation)}{where}"
    if request.order:
        sql += " ORDER BY " + ", ".join(_key(relation, key, facts) for key in request.order)
    if request.limit is not None:
        sql += f" LIMIT {request.limit:d}"
    return Statement(sql=sql, parameters=parameters, flags=flags)


def count(request: ReadRequest, relation: Relation, facts: KeyFacts) -> Statement:
    """Return the statement that counts the request's rows."""
    where, parameters = _where(request, relation, facts)
    sql = f"SELECT 1 FROM {from_clause(relation)}{where}"
    if request.limit is not None:
        sql = f"{sql} LIMIT {request.limit:d}"
    return Statement(sql=f"SELECT count(*) FROM ({sql})", parameters=parameters)


def borders(request: ReadRequest, relation: Relation, keys: Keys, facts: KeyFacts, rows: tuple[int, ...]) -> Statement:
    """Return the statement that selects the keys of certain rows, counted from 1 in the order of the keys."""
    where, parameters = _where(request, relation, facts)
    names = [f"k{at}" for at in range(len(keys))]
    expressions = [_key(relation, key, facts) for key in keys]
    items = ", ".join(f"{expression} AS {name}" for expression, name in zip(expressions, names, strict=True))
    numbered = (
        f"SELECT {items}, row_number() OVER (ORDER BY {', '.join(expressions)}) AS n"
        f" FROM {from_clause(relation)}{where}"
    )
    wanted = ", ".join(map(str, rows))
    return Statement(
        sql=f"SELECT {', '.join(names)} FROM ({numbered}) WHERE n IN ({wanted}) ORDER BY n",
        parameters=parameters,
    )


def extremes(relation: Relation, column: str, facts: KeyFacts) -> Statement:
    """Return the statement for the least and the greatest value and the number of NULLs, of one state."""
    source, name = from_clause(relation), reference(relation, column)
    key = _key(relation, ColumnKey(column), facts)
    return Statement(
        sql=(
            f"SELECT (SELECT min({key}) FROM {source}), (SELECT max({key}) FROM {source}),"
            f" (SELECT count(*) FROM {source} WHERE {name} IS NULL)"
        ),
        parameters=(),
    )


def _key(relation: Relation, key: KeyExpression, facts: KeyFacts) -> str:
    match key:
        case ColumnKey(name=name):
            return reference(relation, name) + (" COLLATE BINARY" if name in facts.collated else "")
        case Coalesce(columns=columns):
            return f"coalesce({', '.join(reference(relation, name) for name in columns)})"


def _where(request: ReadRequest, relation: Relation, facts: KeyFacts) -> tuple[str, tuple[Any, ...]]:
    conditions = [_term(term, request, relation, facts) for term in request.terms]
    if not conditions:
        return "", ()
    text = " AND ".join(f"({sql})" for sql, _ in conditions)
    return f" WHERE {text}", tuple(value for _, values in conditions for value in values)


def _term(term: Term, request: ReadRequest, relation: Relation, facts: KeyFacts) -> tuple[str, tuple[Any, ...]]:
    match term:
        case After(keys=keys, position=at):
            return _beyond(relation, keys, bindings(at), facts, inclusive=False)
        case AtOrAfter(keys=keys, position=at):
            return _beyond(relation, keys, bindings(at), facts, inclusive=True)
        case Until(keys=keys, position=at):
            return _until(request, relation, keys, bindings(at), facts)
        case Between(key=key, low=low, high=high):
            name = _key(relation, key, facts)
            parts = [f"{name} IS NOT NULL"] if low is None and high is None else []
            parts += [f"{name} >= ?"] if low is not None else []
            parts += [f"{name} < ?"] if high is not None else []
            values = tuple(bindings(end)[0] for end in (low, high) if end is not None)
            return " AND ".join(parts), values
        case IsNull(key=key):
            return f"{_key(relation, key, facts)} IS NULL", ()
        case Since(column=column, literal=literal):
            # Text compares by its bytes, so the shortest spelling of an instant is the one that leaves nothing out.
            day = literal[:10]
            starts_day = literal[10:].strip(" T").startswith("00:00:00") and not literal[19:].strip(".0Z")
            value = day if column in facts.dates or starts_day else literal[:10] + literal[10:].replace("T", " ", 1)
            return f"{_key(relation, ColumnKey(column), facts)} >= ?", (value,)
        case SourceRange(kind=kind):
            msg = f"SQLite knows no ranges of the kind {kind}"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")


def _beyond(
    relation: Relation, keys: Keys, values: tuple[Any, ...], facts: KeyFacts, *, inclusive: bool
) -> tuple[str, tuple[Any, ...]]:
    """Return the condition for rows after a position; NULL stands before every value."""
    names = [_key(relation, key, facts) for key in keys]
    if None not in values:
        # A row value is what an index can seek by. A NULL in the row makes it unknown, thus false: it stands before.
        marks = ", ".join("?" * len(names))
        return f"({', '.join(names)}) {'>=' if inclusive else '>'} ({marks})", values
    arms, bound = [], []
    for at, (name, value) in enumerate(zip(names, values, strict=True)):
        equal = [f"{earlier} IS ?" for earlier in names[:at]]
        arms.append(" AND ".join([*equal, f"{name} IS NOT NULL" if value is None else f"{name} > ?"]))
        bound += [*values[:at], *(() if value is None else (value,))]
    if inclusive:
        arms.append(" AND ".join(f"{name} IS ?" for name in names))
        bound += values
    return " OR ".join(f"({arm})" for arm in arms), tuple(bound)


def _until(
    request: ReadRequest, relation: Relation, keys: Keys, values: tuple[Any, ...], facts: KeyFacts
) -> tuple[str, tuple[Any, ...]]:
    """Return the condition for rows up to a position, those with NULLs before it too."""
    if _never_null(request, keys, facts) and None not in values:
        names = ", ".join(_key(relation, key, facts) for key in keys)
        return f"({names}) <= ({', '.join('?' * len(keys))})", values
    beyond, bound = _beyond(relation, keys, values, facts, inclusive=False)
    return f"({beyond}) IS NOT TRUE", bound


def _never_null(request: ReadRequest, keys: Keys, facts: KeyFacts) -> bool:
    """Return whether no row that the other terms let through has a NULL in these keys."""
    if all(isinstance(key, ColumnKey) and key.name in facts.not_null for key in keys):
        return True
    bounded = any(isinstance(term, After | AtOrAfter) and term.keys == keys for term in request.terms)
    return bounded and len(keys) == 1
