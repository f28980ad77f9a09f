"""From catalogue facts and the user's rules to the columns as they will be delivered; pure but for one function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pyarrow as pa

from rivet_core.errors import EnvironmentFailure, Place, UsageError
from rivet_core.requests import HIDDEN_PREFIX
from rivet_core.schema import TableSchema
from rivet_core.types import Column, ColumnRules, Fidelity, InvalidValue, Query, Relation
from rivet_source_postgres import arrays, catalogue
from rivet_source_postgres.delivery import NULLS, OVERRIDE, TESTED
from rivet_source_postgres.overrides import override
from rivet_source_postgres.quoting import identifier
from rivet_source_postgres.selects import COLUMN, PRINTED, TEXT_TYPE
from rivet_source_postgres.sqlstates import ROW_SECURITY_REMEDY
from rivet_source_postgres.types import ENUM, RULES, TEXT, TypeContext, TypeRule

if TYPE_CHECKING:
    from rivet_source_postgres.catalogue import ColumnFacts, RelationFacts, TypeName
    from rivet_source_postgres.hazards import Hazard
    from rivet_source_postgres.selects import Select
    from rivet_source_postgres.session import Session

_NO_SCALE: Final = "no precision and scale, or more digits than a decimal holds: exact text; override with decimal(p,s)"

_GUARDED: Final = "row-level security decides which of its rows this user sees"


@attrs.frozen(kw_only=True)
class Server:
    """What the columns depend on beyond the catalogue.

    :param ascii: the database has no encoding (``SQL_ASCII``), so its texts may be anything.
    :param money_scale: digits behind the point of ``money``.
    """

    ascii: bool = False
    money_scale: int = 2


def describe(session: Session, relation: Relation, rules: ColumnRules) -> TableSchema:
    """Return the relation's columns; see :meth:`rivet_core.protocols.Source.describe`."""
    estimate: int | None = None
    remarks: tuple[str, ...] = ()
    if isinstance(relation, Query):
        facts = catalogue.query_columns(session, relation)
    else:
        table = catalogue.find_table(session, relation)
        _refuse_unreadable(table, relation)
        facts = catalogue.table_columns(session, table, relation)
        estimate, remarks = table.estimated_rows, (_GUARDED,) if table.guarded else ()
    _refuse_unusable(facts, relation)
    for one in facts:
        _refuse_contradiction(one, rules, relation)
    money = any(name is not None and name.name == "money" for one in facts for name in (one.type, one.element))
    server = Server(ascii=session.encoding == "SQL_ASCII", money_scale=catalogue.money_scale(session) if money else 2)
    columns = tuple(plan_column(one, rules, server) for one in facts)
    unsafe = [column for column in columns if column.fidelity is Fidelity.UNSUPPORTED]
    if unsafe:
        listed = "; ".join(f"{column.name} ({column.native_type}): {column.remark}" for column in unsafe)
        many = "1 column has" if len(unsafe) == 1 else f"{len(unsafe)} columns have"
        msg = f"{many} no safe mapping: {listed}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(relation=str(relation), field=unsafe[0].name),
            remedy="Choose another type word for them, or cast them in a query.",
        )
    return TableSchema(columns=columns, estimated_rows=estimate, remarks=remarks)


def plan_column(facts: ColumnFacts, rules: ColumnRules, server: Server) -> Column:
    """Return the column as it will be delivered."""
    policy = rules.policy(facts.name)
    word = rules.override(facts.name)
    if word is not None:
        planned = _overridden(facts, word, policy)
    elif facts.element is not None:
        planned = _list(facts, facts.element, policy, server)
    else:
        planned = _scalar(facts, policy, server)
    arrow, expression = planned.arrow, planned.expression
    if server.ascii and arrow is not None and (pa.types.is_string(arrow) or arrow == pa.json_()):
        padded = facts.type.name == "bpchar" and expression == identifier(facts.name)
        expression = _raw_text(expression, padded=padded)
    # The read sees columns only, so the policy travels with the field.
    metadata = {**(NULLS if policy is InvalidValue.NULL else {}), **planned.metadata}
    return Column(
        name=facts.name,
        native_type=facts.native,
        field=pa.field(facts.name, arrow if arrow is not None else pa.null(), metadata=metadata or None),
        expression=expression,
        fidelity=planned.fidelity,
        not_null=facts.not_null,
        remark=planned.remark,
    )


@attrs.frozen(kw_only=True)
class _Planned:
    """How a column is delivered.

    :param arrow: None where it cannot be.
    :param expression: in SQL and complete: names and literals are in it, so nothing may be filled into it any more.
    """

    arrow: pa.DataType | None
    expression: str
    fidelity: Fidelity
    remark: str
    metadata: dict[bytes, bytes] = attrs.field(factory=dict)


def _overridden(facts: ColumnFacts, word: str, policy: InvalidValue) -> _Planned:
    wish = override(word, facts)
    if wish is None:
        return _Planned(
            arrow=None,
            expression=identifier(facts.name),
            fidelity=Fidelity.UNSUPPORTED,
            remark=f"{word} cannot be had from it without a loss that nobody would see",
        )
    expression = _fill(wish.select, facts)
    metadata = {}
    if wish.hazard is not None:
        metadata[OVERRIDE] = word.encode()
        if wish.hazard.fits is not None and policy is InvalidValue.NULL:
            metadata[TESTED] = b"true"
            expression = f"CASE WHEN {wish.hazard.fits.of(identifier(facts.name))} THEN {expression} END"
    return _Planned(
        arrow=wish.arrow,
        expression=expression,
        fidelity=wish.fidelity,
        remark=f"override {word}",
        metadata=metadata,
    )


def _scalar(facts: ColumnFacts, policy: InvalidValue, server: Server) -> _Planned:
    rule = _rule(facts.type)
    arrow = rule.arrow(TypeContext(modifier=facts.type.modifier, money_scale=server.money_scale))
    if arrow is None:
        return _text(facts, _NO_SCALE)
    if rule.holes and policy is InvalidValue.TEXT:
        return _text(facts, "text by on_invalid_value")
    return _Planned(arrow=arrow, expression=_fill(rule.select, facts), fidelity=rule.fidelity, remark=rule.remark)


def _list(facts: ColumnFacts, element: TypeName, policy: InvalidValue, server: Server) -> _Planned:
    """Return the plan of an array: a list where the elements have a type of their own, else the server's text."""
    rule = _rule(element)
    if policy is InvalidValue.TEXT or rule.list_select is None:
        return _text(facts, TEXT.remark)
    arrow = rule.arrow(TypeContext(modifier=element.modifier, money_scale=server.money_scale))
    quoted = identifier(facts.name)
    array = quoted
    if facts.odd_array:
        # Read again from what the server prints, past the casts.
        array = f"({PRINTED.of(quoted)})::{TEXT_TYPE if rule is ENUM else element.quoted}[]"
    expression, fidelity, remark = rule.list_select.of(array), rule.fidelity, rule.remark
    if arrow is None:
        arrow, expression, fidelity, remark = pa.utf8(), f"{array}::{TEXT_TYPE}[]", Fidelity.TEXT, _NO_SCALE
    elif rule.list_select == COLUMN:
        # Without the cast an array of a domain's values would be of a type that the driver does not know.
        expression = f"{array}::{element.quoted}[]"
    if policy is InvalidValue.NULL:
        expression = arrays.nulling(quoted, expression)
    else:
        expression = arrays.refusing(quoted, facts.name, expression)
    return _Planned(
        arrow=pa.list_(pa.field("item", arrow)),
        expression=expression,
        fidelity=fidelity,
        remark=remark or "one dimension, beginning at 1",
    )


def _text(facts: ColumnFacts, remark: str) -> _Planned:
    return _Planned(arrow=pa.utf8(), expression=_fill(TEXT.select, facts), fidelity=Fidelity.TEXT, remark=remark)


def _fill(select: Select, facts: ColumnFacts) -> str:
    """Return a select for a column; as text it is what the server prints, whatever a cast would make of it."""
    if select == TEXT.select and facts.type.odd_text and not (facts.type.own and facts.type.name == "bool"):
        select = PRINTED
    return select.of(identifier(facts.name))


def _rule(type_: TypeName) -> TypeRule:
    if type_.kind == "e":
        return ENUM
    return RULES.get(type_.name, TEXT) if type_.own else TEXT


def _raw_text(expression: str, *, padded: bool) -> str:
    """Return the text's bytes: only so can the read name the column and the value that is not UTF-8."""
    # A cast of char(n) to text would take the padding away.
    text = f"CASE WHEN {expression} IS NOT NULL THEN pg_catalog.concat({expression}) END"
    if not padded:
        text = f"({expression})::pg_catalog.text"
    return f"pg_catalog.convert_to({text}, 'SQL_ASCII')"


def _refuse_unreadable(table: RelationFacts, relation: Relation) -> None:
    """Refuse what a read would end with an error for."""
    if table.unfilled is not None:
        msg = f"the materialized view {table.unfilled} has never been filled, so nothing can be read of it"
        remedy = "Refresh the materialized view: REFRESH MATERIALIZED VIEW fills it."
    elif table.guarded and table.uncut:
        msg = "row-level security would keep rows from this user, and row_security is off"
        remedy = ROW_SECURITY_REMEDY
    else:
        return
    raise EnvironmentFailure(msg, code="RIVET_SOURCE_QUERY_FAILED", place=Place(relation=str(relation)), remedy=remedy)


def _refuse_contradiction(facts: ColumnFacts, rules: ColumnRules, relation: Relation) -> None:
    """Refuse a policy that a column's override leaves no room for, rather than drop one of the two in silence."""
    word, policy = rules.override(facts.name), rules.policy(facts.name)
    wish = None if word is None else override(word, facts)
    if wish is None or pa.types.is_string(wish.arrow):
        return
    own = facts.name in dict(rules.on_invalid_by_column)
    if policy is InvalidValue.TEXT and (own or wish.hazard is not None):
        why = "makes text of it"
    elif policy is InvalidValue.NULL and own and wish.hazard is not None and _untested(wish.hazard):
        why = "wants NULL for what is none, which the server cannot tell before it casts"
    else:
        return
    msg = f"columns: asks for the column {facts.name} as {word}, and on_invalid_value: {policy} {why}"
    raise UsageError(
        msg,
        code="RIVET_CONFIG_VALUE_INVALID",
        place=Place(relation=str(relation), field=facts.name),
        remedy=f"Take {facts.name} out of columns, or give it the policy fail in on_invalid_value.",
    )


def _untested(hazard: Hazard) -> bool:
    return hazard.cast and hazard.fits is None


def _refuse_unusable(facts: tuple[ColumnFacts, ...], relation: Relation) -> None:
    names = [one.name for one in facts]
    place = Place(relation=str(relation))
    if not names:
        msg = "the relation has no columns, so there is nothing to export"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=place,
            remedy="Give it a column, or export something else.",
        )
    if twice := sorted({name for name in names if names.count(name) > 1}):
        msg = f"several columns are called {', '.join(twice)}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=place,
            remedy="Give each column of the query a name of its own with AS.",
        )
    if own := [name for name in names if name.startswith(HIDDEN_PREFIX)]:
        msg = f"the column {own[0]} has a name that rivet needs for itself"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_META_COLUMN_COLLISION",
            place=place,
            remedy=f"Read through a query that names it otherwise; names with {HIDDEN_PREFIX} are taken.",
        )
    if closed := [one.name for one in facts if not one.readable]:
        msg = f"this user may not read {', '.join(closed)}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_SOURCE_QUERY_FAILED",
            place=place,
            remedy="Grant SELECT on the table, or name the columns that can be read in a query.",
        )
