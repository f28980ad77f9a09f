"""Units as JSON text, for the state; columns are kept by name, since the plan holds them once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rivet_core.errors import InternalError
from rivet_core.requests.keys import Coalesce, ColumnKey, KeyExpression, Keys
from rivet_core.requests.read import Budget, ReadRequest
from rivet_core.requests.terms import After, AtOrAfter, Between, IsNull, Since, SourceRange, Term, Until
from rivet_core.requests.unit import Paging, Unit
from rivet_core.types import Column, Position, Query, Relation, Table

if TYPE_CHECKING:
    from collections.abc import Mapping


def encode_unit(unit: Unit) -> str:
    """Return the unit as JSON text; equal units give equal text."""
    request = unit.request
    return json.dumps(
        {
            "id": unit.id,
            "ordinal": unit.ordinal,
            "paging": None if unit.paging is None else {"keys": _keys_out(unit.paging.keys), "rows": unit.paging.rows},
            "request": {
                "relation": relation_to_json(request.relation),
                "columns": [column.name for column in request.columns],
                "hidden": _keys_out(request.hidden),
                "terms": [_term_out(term) for term in request.terms],
                "order": _keys_out(request.order),
                "limit": request.limit,
                "budget": {"bytes": request.budget.bytes, "rows": request.budget.rows},
            },
        },
        sort_keys=True,
    )


def decode_unit(text: str, columns: Mapping[str, Column]) -> Unit:
    """Return the unit of :func:`encode_unit`.

    :param columns: the plan's columns by name.
    :raises InternalError: when the unit selects a column that the plan does not have.
    """
    data = json.loads(text)
    request = data["request"]
    missing = [name for name in request["columns"] if name not in columns]
    if missing:
        msg = f"unit {data['id']} selects {', '.join(missing)}, which its plan does not have"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    paging = data["paging"]
    return Unit(
        id=data["id"],
        ordinal=data["ordinal"],
        paging=None if paging is None else Paging(keys=_keys_in(paging["keys"]), rows=paging["rows"]),
        request=ReadRequest(
            relation=relation_from_json(request["relation"]),
            columns=tuple(columns[name] for name in request["columns"]),
            hidden=_keys_in(request["hidden"]),
            terms=tuple(_term_in(term) for term in request["terms"]),
            order=_keys_in(request["order"]),
            limit=request["limit"],
            budget=Budget(**request["budget"]),
        ),
    )


def relation_to_json(relation: Relation | None) -> dict[str, Any] | None:
    """Return a relation's JSON form."""
    match relation:
        case Table(name=name, schema=schema):
            return {"table": name, "schema": schema}
        case Query(text=text):
            return {"query": text}
        case None:
            return None


def relation_from_json(data: dict[str, Any] | None) -> Relation | None:
    """Return the relation of a JSON form."""
    if data is None:
        return None
    return Query(data["query"]) if "query" in data else Table(data["table"], data["schema"])


def _key_out(key: KeyExpression) -> Any:
    return key.name if isinstance(key, ColumnKey) else list(key.columns)


def _key_in(data: Any) -> KeyExpression:
    return ColumnKey(data) if isinstance(data, str) else Coalesce(tuple(data))


def _keys_out(keys: Keys) -> list[Any]:
    return [_key_out(key) for key in keys]


def _keys_in(data: list[Any]) -> Keys:
    return tuple(_key_in(key) for key in data)


def _position_out(position: Position | None) -> dict[str, Any] | None:
    return None if position is None else position.to_json()


def _position_in(data: dict[str, Any] | None) -> Position | None:
    return None if data is None else Position.from_json(data)


def _term_out(term: Term) -> dict[str, Any]:
    name = type(term).__name__
    match term:
        case After() | AtOrAfter() | Until():
            return {"term": name, "keys": _keys_out(term.keys), "position": term.position.to_json()}
        case Between():
            return {
                "term": name,
                "key": _key_out(term.key),
                "low": _position_out(term.low),
                "high": _position_out(term.high),
            }
        case IsNull():
            return {"term": name, "key": _key_out(term.key)}
        case Since():
            return {"term": name, "column": term.column, "literal": term.literal}
        case SourceRange():
            return {"term": name, "kind": term.kind, "data": term.data}


def _term_in(data: dict[str, Any]) -> Term:
    match data["term"]:
        case "After":
            return After(_keys_in(data["keys"]), Position.from_json(data["position"]))
        case "AtOrAfter":
            return AtOrAfter(_keys_in(data["keys"]), Position.from_json(data["position"]))
        case "Until":
            return Until(_keys_in(data["keys"]), Position.from_json(data["position"]))
        case "Between":
            return Between(_key_in(data["key"]), _position_in(data["low"]), _position_in(data["high"]))
        case "IsNull":
            return IsNull(_key_in(data["key"]))
        case "Since":
            return Since(data["column"], data["literal"])
        case "SourceRange":
            return SourceRange(data["kind"], data["data"])
        case unknown:
            msg = f"a stored unit holds the term {unknown}, which this version does not know"
            raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
