"""Read requests as SQL: pure text, every name quoted, every value a quoted literal with its type.

Values are literals and not parameters, because the driver holds the whole result of a statement with parameters in
memory. Keys compare as the server orders them, text by its column's collation. A comparison with NULL holds for no row,
so ``After``, ``AtOrAfter``, ``Until`` and ``Between`` never select rows whose key is NULL; ``IsNull`` does. Therefore
NULL comes first in every order: reading on after a mark then leaves out only rows that were delivered before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
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
from rivet_source_postgres.pinned import OWN, operator
from rivet_source_postgres.positions import is_foreign, typed_literal
from rivet_source_postgres.quoting import ALIAS, from_item, identifier, literal

#: Columns that count array values which the server makes NULL; dropped before the rows leave the source.
FLAG_PREFIX: Final = "_rivet_flag_"
#: The schemas of keys' operators, quoted.
Schemas = Mapping[KeyExpression, str]
_OWN: Final = f'"{OWN}"'


@attrs.frozen(kw_only=True)
class Extras:
    """What is selected behind the request's columns.

    :param keys: keys as lossless text, to make marks from.
    :param nulls_first: keys of the order that may be NULL. Only these say so in SQL, since an index in the usual order
        could not serve it.
    :param flags: tests, one column each.
    :param schemas: where the operators of keys are, quoted; of keys that are not in it they are the server's own.
    """

    keys: tuple[str, ...] = ()
    nulls_first: Keys = ()
    flags: tuple[str, ...] = ()
    schemas: Schemas = MappingProxyType({})


def select(request: ReadRequest, extras: Extras = Extras()) -> str:
    """Return the statement of a read."""
    selected = [f"{column.expression} AS {identifier(column.name)}" for column in request.columns]
    selected += [f"{text} AS {HIDDEN_PREFIX}{place}" for place, text in enumerate(extras.keys)]
    selected += [f"{test} AS {FLAG_PREFIX}{place}" for place, test in enumerate(extras.flags)]
    return f"SELECT {', '.join(selected)}{tail(request, nulls_first=extras.nulls_first, schemas=extras.schemas)}"


def count(request: ReadRequest, schemas: Schemas) -> str:
    """Return the statement that counts the rows of a request, as ``n``."""
    return f"SELECT pg_catalog.count(*) AS n FROM (SELECT 1{tail(request, schemas=schemas)}) AS counted"


def tail(request: ReadRequest, *, schemas: Schemas, nulls_first: Keys = ()) -> str:
    """Return everything behind the selected columns."""
    if request.relation is None:
        msg = "a PostgreSQL source was asked to read a stream without a relation"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    sql = f" FROM {from_item(request.relation)}"
    if request.terms:
        sql += f" WHERE {' AND '.join(predicate(term, schemas) for term in request.terms)}"
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


def foreign_keys(request: ReadRequest) -> Keys:
    """Return the keys of a request's terms whose operators may be others than the server's own."""
    found: dict[KeyExpression, None] = {}
    for term in request.terms:
        match term:
            case After(keys=keys, position=position) | AtOrAfter(keys=keys, position=position):
                pairs = list(zip(keys, position.parts, strict=False))
            case Until(keys=keys, position=position):
                pairs = list(zip(keys, position.parts, strict=False))
            case Between(key=key, low=low, high=high):
                pairs = [(key, end) for end in (low, high) if end is not None]
            case Since(column=column):
                # What it is compared with has no type of its own.
                found[ColumnKey(column)] = None
                continue
            case _:
                continue
        found |= dict.fromkeys(key for key, end in pairs if is_foreign(end))
    return tuple(found)


def key_expression(key: KeyExpression) -> str:
    """Return a key in SQL, qualified: an unqualified name in ``ORDER BY`` means what is selected under it."""
    if isinstance(key, ColumnKey):
        return f"{ALIAS}.{identifier(key.name)}"
    return f"COALESCE({', '.join(f'{ALIAS}.{identifier(name)}' for name in key.columns)})"


def predicate(term: Term, schemas: Schemas) -> str:
    """Return a term in SQL.

    :param schemas: see :class:`Extras`.
    """
    match term:
        case After():
            return _compared(term.keys, ">", term.position, schemas)
        case AtOrAfter():
            return _compared(term.keys, ">=", term.position, schemas)
        case Until():
            return _compared(term.keys, "<=", term.position, schemas)
        case Between(key=key, low=low, high=high):
            ends = [
                _comparison(key, name, typed_literal(end), schemas)
                for name, end in ((">=", low), ("<", high))
                if end is not None
            ]
            return " AND ".join(ends) or f"{key_expression(key)} IS NOT NULL"
        case IsNull(key=key):
            return f"{key_expression(key)} IS NULL"
        case Since(column=column, literal=text):
            # Without a type, so that the server reads it as the column's.
            return _comparison(ColumnKey(column), ">=", literal(text), schemas)
        case _:
            msg = f"a PostgreSQL source cannot read {type(term).__name__}"
            raise UsageError(
                msg, code="RIVET_CLI_OPTION_UNSUPPORTED", remedy="Use a mode whose runner asks for something else."
            )


def _compared(keys: Keys, name: str, position: Position, schemas: Schemas) -> str:
    parts = position.parts
    if not keys or len(keys) != len(parts):
        msg = f"a position of {len(parts)} parts was given for {len(keys)} keys"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    right = [typed_literal(part) for part in parts]
    homes = {schemas.get(key, _OWN) for key in keys}
    if len(keys) == 1 or len(homes) > 1:
        return _by_parts(list(zip(keys, right, strict=True)), name, schemas)
    # A row comparison is what an index over several columns can seek by.
    left = ", ".join(key_expression(key) for key in keys)
    return f"({left}) {operator(name, *homes)} ({', '.join(right)})"


def _by_parts(pairs: list[tuple[KeyExpression, str]], name: str, schemas: Schemas) -> str:
    """Return a row comparison whose operators are not all in one schema: it has room for one only."""
    (key, value), *rest = pairs
    if not rest:
        return _comparison(key, name, value, schemas)
    strict = name.removesuffix("=")
    beyond = f"{_comparison(key, strict, value, schemas)} OR {_by_parts(rest, name, schemas)}"
    return f"({_comparison(key, f'{strict}=', value, schemas)} AND ({beyond}))"


def _comparison(key: KeyExpression, name: str, value: str, schemas: Schemas) -> str:
    return f"{key_expression(key)} {operator(name, schemas.get(key, _OWN))} {value}"
