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
from rivet_source_postgres.delivery import NULLS
from rivet_source_postgres.overrides import override
from rivet_source_postgres.quoting import identifier
from rivet_source_postgres.types import ENUM, PRINTED, RULES, TEXT, TypeContext, TypeRule

if TYPE_CHECKING:
    from rivet_source_postgres.catalogue import ColumnFacts, TypeName
    from rivet_source_postgres.session import Session

_NO_SCALE: Final = "no precision and scale, or more digits than a decimal holds: exact text; override with decimal(p,s)"


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
    estimate = None
    if isinstance(relation, Query):
        facts = catalogue.query_columns(session, relation)
    else:
        table = catalogue.find_table(session, relation)
        facts = catalogue.table_columns(session, table, relation)
        estimate = table.estimated_rows
    _refuse_unusable(facts, relation, rules)
    money = any(name is not None and name.name == "money" for one in facts for name in (one.type, one.element))
    server = Server(ascii=session.encoding == "SQL_ASCII", money_scale=catalogue.money_scale(session) if money else 2)
    columns = tuple(plan_column(one, rules, server) for one in facts)
    unsafe = [column for column in columns if column.fidelity is Fidelity.UNSUPPORTED]
    if unsafe:
        listed = "; ".join(f"{column.name} ({column.native_type}): {column.remark}" for column in unsafe)
        msg = f"{len(unsafe)} columns have no safe mapping: {listed}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(relation=str(relation), field=unsafe[0].name),
            remedy="Choose another type word for them, or cast them in a query.",
        )
    return TableSchema(columns=columns, estimated_rows=estimate)


def plan_column(facts: ColumnFacts, rules: ColumnRules, server: Server) -> Column:
    """Return the column as it will be delivered."""
    quoted = identifier(facts.name)
    policy = rules.policy(facts.name)
    word = rules.override(facts.name)
    if word is not None:
        arrow, select, fidelity, remark = _overridden(facts, word)
    elif facts.element is not None:
        arrow, select, fidelity, remark = _list(facts, facts.element, policy, server)
    else:
        arrow, select, fidelity, remark = _scalar(_rule(facts.type), facts.type, policy, server)
    if select == TEXT.select and facts.type.odd_text and facts.type.name != "bool":
        select = PRINTED
    expression = select.replace("{c}", quoted)
    if server.ascii and arrow is not None and (pa.types.is_string(arrow) or arrow == pa.json_()):
        expression = _raw_text(expression, padded=facts.type.name == "bpchar" and expression == quoted)
    # The read sees columns only, so the policy travels with the field.
    metadata = NULLS if policy is InvalidValue.NULL else None
    return Column(
        name=facts.name,
        native_type=facts.native,
        field=pa.field(facts.name, arrow if arrow is not None else pa.null(), metadata=metadata),
        expression=expression,
        fidelity=fidelity,
        not_null=facts.not_null,
        remark=remark,
    )


def _overridden(facts: ColumnFacts, word: str) -> tuple[pa.DataType | None, str, Fidelity, str]:
    wish = override(word, facts)
    if wish is None:
        return None, "{c}", Fidelity.UNSUPPORTED, f"{word} cannot be had from it without a loss that nobody would see"
    return wish.arrow, wish.select, wish.fidelity, f"override {word}"


def _scalar(
    rule: TypeRule, type_: TypeName, policy: InvalidValue, server: Server
) -> tuple[pa.DataType, str, Fidelity, str]:
    arrow = rule.arrow(TypeContext(modifier=type_.modifier, money_scale=server.money_scale))
    if arrow is None:
        return pa.utf8(), TEXT.select, Fidelity.TEXT, _NO_SCALE
    if rule.holes and policy is InvalidValue.TEXT:
        return pa.utf8(), TEXT.select, Fidelity.TEXT, "text by on_invalid_value"
    return arrow, rule.select, rule.fidelity, rule.remark


def _list(
    facts: ColumnFacts, element: TypeName, policy: InvalidValue, server: Server
) -> tuple[pa.DataType, str, Fidelity, str]:
    """Return the plan of an array: a list where the elements have a type of their own, else the server's text."""
    rule = _rule(element)
    if policy is InvalidValue.TEXT or rule.list_select is None:
        return pa.utf8(), TEXT.select, Fidelity.TEXT, TEXT.remark
    arrow = rule.arrow(TypeContext(modifier=element.modifier, money_scale=server.money_scale))
    select, fidelity, remark = rule.list_select, rule.fidelity, rule.remark
    if arrow is None:
        arrow, select, fidelity, remark = pa.utf8(), "{c}::text[]", Fidelity.TEXT, _NO_SCALE
    elif select == "{c}":
        # Without the cast an array of a domain's values would be of a type that the driver does not know.
        select = f"{{c}}::{element.quoted}[]"
    guarded = (
        arrays.nulling("{c}", select) if policy is InvalidValue.NULL else arrays.refusing("{c}", facts.name, select)
    )
    return pa.list_(pa.field("item", arrow)), guarded, fidelity, remark or "one dimension, beginning at 1"


def _rule(type_: TypeName) -> TypeRule:
    if type_.kind == "e":
        return ENUM
    return RULES.get(type_.name, TEXT) if type_.own else TEXT


def _raw_text(expression: str, *, padded: bool) -> str:
    """Return the text's bytes: only so can the read name the column and the value that is not UTF-8."""
    # A cast of char(n) to text would take the padding away.
    text = f"CASE WHEN {expression} IS NOT NULL THEN concat({expression}) END" if padded else f"({expression})::text"
    return f"convert_to({text}, 'SQL_ASCII')"


def _refuse_unusable(facts: tuple[ColumnFacts, ...], relation: Relation, rules: ColumnRules) -> None:
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
    if unknown := sorted({name for name, _ in rules.types} - set(names)):
        near = [name for name in names if name.lower() in {wish.lower() for wish in unknown}]
        msg = f"columns: names {', '.join(unknown)}, which the relation does not have"
        raise UsageError(
            msg,
            code="RIVET_CONFIG_VALUE_INVALID",
            place=place,
            remedy=f"There is {', '.join(near)}: names are taken exactly."
            if near
            else "Correct or remove the override.",
        )
    if closed := [one.name for one in facts if not one.readable]:
        msg = f"this user may not read {', '.join(closed)}"
        raise EnvironmentFailure(
            msg,
            code="RIVET_SOURCE_QUERY_FAILED",
            place=place,
            remedy="Grant SELECT on the table, or name the columns that can be read in a query.",
        )
