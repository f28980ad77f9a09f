"""Read requests as SQL: pure text, every name quoted, every value a quoted literal with its type.

Values are literals and not parameters, because the driver holds the whole result of a statement with parameters in
memory. Keys compare as the server orders them, text by its column's collation. A comparison with NULL holds for no row,
so ``After``, ``AtOrAfter``, ``Until`` and ``Between`` never select rows whose key is NULL; ``IsNull`` does. Therefore
NULL comes first in every order: reading on after a mark then leaves out only rows that were delivered before it.
"""

from __future__ import annotations

from typing import Final

import attrs

from rivet_core.errors import InternalError, UsageError
from rivet_core.requests import (
    HIDDEN_PREFIX,
    After,
    AtOrAfter,
    Between,
    ColumnKey,
    IsNull,
    KeyExpression,
    Keys,
    ReadRequest,
    Since,
    Term,
    Until,
)
from rivet_core.types import Position
from rivet_source_postgres.positions import typed_literal
from rivet_source_postgres.quoting import ALIAS, from_item, identifier, literal

#: Columns that count array values which the server makes NULL; dropped before the rows leave the source.
FLAG_PREFIX: Final = "_rivet_flag_"


@attrs.frozen(kw_only=True)
class Extras:
    """What is selected behind the request's columns.

    :param keys: keys in lossless text, to make marks from.
    :param nulls_first: keys of the order that may be NULL. Only these say so in SQL, since an index in the usual order
        could not serve it.
    :param flags: tests, one column each.
    """

    keys: Keys = ()
    nulls_first: Keys = ()
    flags: tuple[str, ...] = ()


def select(request: ReadRequest, extras: Extras = Extras()) -> str:
    """Return the statement of a read."""
    selected = [f"{column.expression} AS {identifier(column.name)}" for column in request.columns]
    selected += [f"({key_expression(key)})::text AS {HIDDEN_PREFIX}{place}" for place, key in enumerate(extras.keys)]
    selected += [f"{test} AS {FLAG_PREFIX}{place}" for place, test in enumerate(extras.flags)]
    return f"SELECT {', '.join(selected)}{tail(request, extras.nulls_first)}"


def count(request: ReadRequest) -> str:
    """Return the statement that counts the rows of a request, as ``n``."""
    return f"SELECT count(*) AS n FROM (SELECT 1{tail(request)}) AS counted"


def tail(request: ReadRequest, nulls_first: Keys = ()) -> str:
    """Return everything behind the selected columns."""
    if request.relation is None:
        msg = "a PostgreSQL source was asked to read a stream without a relation"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    sql = f" FROM {from_item(request.relation)}"
    if request.terms:
        sql += f" WHERE {' AND '.join(predicate(term) for term in request.terms)}"
    if request.order:
        sql += f" ORDER BY {order_by(request.order, nulls_first)}"
    if request.limit is not None:
        sql += f" LIMIT {int(request.limit)}"
    return sql


def order_by(order: Keys, nulls_first: Keys) -> str:
    """Return the list of ``ORDER BY``."""
    return ", ".join(f"{key_expression(key)}{' NULLS FIRST' if key in nulls_first else ''}" for key in order)


def excludes_null(term: Term, key: KeyExpression) -> bool:
    """Return whether a term holds for no row whose key is NULL."""
    match term:
        case After(keys=keys) | AtOrAfter(keys=keys) | Until(keys=keys):
            # In a comparison of rows only the first key must have a value.
            return keys[:1] == (key,)
        case Between():
            return term.key == key
        case Since(column=column):
            return key == ColumnKey(column)
        case _:
            return False


def key_expression(key: KeyExpression) -> str:
    """Return a key in SQL, qualified: an unqualified name in ``ORDER BY`` means what is selected under it."""
    if isinstance(key, ColumnKey):
        return f"{ALIAS}.{identifier(key.name)}"
    return f"COALESCE({', '.join(f'{ALIAS}.{identifier(name)}' for name in key.columns)})"


def predicate(term: Term) -> str:
    """Return a term in SQL."""
    match term:
        case After():
            return _compared(term.keys, ">", term.position)
        case AtOrAfter():
            return _compared(term.keys, ">=", term.position)
        case Until():
            return _compared(term.keys, "<=", term.position)
        case Between(key=key, low=low, high=high):
            ends = [
                f"{key_expression(key)} {operator} {typed_literal(end)}"
                for operator, end in ((">=", low), ("<", high))
                if end is not None
            ]
            return " AND ".join(ends) or f"{key_expression(key)} IS NOT NULL"
        case IsNull(key=key):
            return f"{key_expression(key)} IS NULL"
        case Since(column=column, literal=text):
            # Without a type, so that the server reads it as the column's.
            return f"{ALIAS}.{identifier(column)} >= {literal(text)}"
        case _:
            msg = f"a PostgreSQL source cannot read {type(term).__name__}"
            raise UsageError(msg, code="RIVET_CLI_OPTION_UNSUPPORTED")


def _compared(keys: Keys, operator: str, position: Position) -> str:
    parts = position.parts
    if not keys or len(keys) != len(parts):
        msg = f"a position of {len(parts)} parts was given for {len(keys)} keys"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    left = [key_expression(key) for key in keys]
    right = [typed_literal(part) for part in parts]
    if len(keys) == 1:
        return f"{left[0]} {operator} {right[0]}"
    # A row comparison is what an index over several columns can seek by.
    return f"({', '.join(left)}) {operator} ({', '.join(right)})"
