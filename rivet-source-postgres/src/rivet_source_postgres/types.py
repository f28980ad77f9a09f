"""The table of types: what each of the server's types becomes, and what is selected to deliver it.

A type that is not in the table, whatever it is, arrives as the server's own text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import attrs
import pyarrow as pa

from rivet_core.types import Fidelity
from rivet_source_postgres import selects
from rivet_source_postgres.numerics import numeric_type
from rivet_source_postgres.pinned import pinned
from rivet_source_postgres.selects import COLUMN, Select

#: Digits of the largest amount of ``money``, a 64-bit integer of minor units.
MONEY_PRECISION: Final = 19


@attrs.frozen(kw_only=True)
class TypeContext:
    """What a rule may need beyond the type's name.

    :param modifier: the column's.
    :param money_scale: digits behind the point of ``money`` on this server.
    """

    modifier: int = -1
    money_scale: int = 2


@attrs.frozen(kw_only=True)
class TypeRule:
    """One row of the table.

    :param arrow: the Arrow type, or None when this modifier has none.
    :param select: what is selected for the column.
    :param list_select: what is selected for a one-dimensional array of it; None when it is not delivered as a list.
    :param holes: whether some values have no place in the Arrow type, so that a policy applies.
    """

    arrow: Callable[[TypeContext], pa.DataType | None]
    select: Select = COLUMN
    list_select: Select | None = COLUMN
    fidelity: Fidelity = Fidelity.EXACT
    holes: bool = False
    remark: str = ""


def _always(arrow: pa.DataType) -> Callable[[TypeContext], pa.DataType]:
    return lambda _: arrow


def _numeric(context: TypeContext) -> pa.DataType | None:
    return numeric_type(context.modifier)


def _money(context: TypeContext) -> pa.DataType:
    return pa.decimal128(MONEY_PRECISION, context.money_scale)


#: "char" may hold any byte: from 128 on it is not text, and newer servers write its octal escape.
_CHAR: Final = Select(
    pinned(
        "CASE WHEN {c}::pg_catalog.int4 < 0"
        " THEN pg_catalog.encode(pg_catalog.substr(pg_catalog.int4send({c}::pg_catalog.int4), 4), 'escape')"
        " ELSE {c}::pg_catalog.text END"
    )
)
_POINT: Final = "pg_catalog.strpos({c}::pg_catalog.text, '.')"
#: The server writes .7S where ours, like the Rust tool's, has always six digits.
_INTERVAL: Final = Select(
    pinned(
        f"CASE WHEN {_POINT} > 0 THEN"
        f" pg_catalog.rpad(pg_catalog.rtrim({{c}}::pg_catalog.text, 'S'), {_POINT} + 6, '0') || 'S'"
        " ELSE {c}::pg_catalog.text END"
    )
)

TEXT: Final = TypeRule(
    arrow=_always(pa.utf8()),
    select=selects.TEXT,
    list_select=None,
    fidelity=Fidelity.TEXT,
    remark="no Arrow type means the same: the server's own text",
)
#: Enums of users; their labels must not depend on what the driver knew when it connected.
ENUM: Final = TypeRule(
    arrow=_always(pa.utf8()),
    select=selects.TEXT,
    list_select=Select("{c}::pg_catalog.text[]"),
    fidelity=Fidelity.COMPATIBLE,
    remark="the label",
)

RULES: Final[dict[str, TypeRule]] = {
    "bool": TypeRule(arrow=_always(pa.bool_())),
    "int2": TypeRule(arrow=_always(pa.int16())),
    "int4": TypeRule(arrow=_always(pa.int32())),
    "int8": TypeRule(arrow=_always(pa.int64())),
    "oid": TypeRule(
        arrow=_always(pa.int64()),
        select=selects.INT8,
        list_select=Select("{c}::pg_catalog.int8[]"),
        fidelity=Fidelity.COMPATIBLE,
    ),
    "float4": TypeRule(arrow=_always(pa.float32())),
    "float8": TypeRule(arrow=_always(pa.float64())),
    # As text, which the driver would make of it in three times the time that the server takes.
    "numeric": TypeRule(arrow=_numeric, select=selects.TEXT, holes=True),
    "money": TypeRule(
        arrow=_money,
        select=Select("{c}::pg_catalog.numeric"),
        list_select=Select("{c}::pg_catalog.numeric[]"),
        fidelity=Fidelity.COMPATIBLE,
        remark="the scale is that of the server's lc_monetary; the currency is not part of the value",
    ),
    "text": TypeRule(arrow=_always(pa.utf8())),
    "varchar": TypeRule(arrow=_always(pa.utf8())),
    "name": TypeRule(arrow=_always(pa.utf8())),
    "bpchar": TypeRule(arrow=_always(pa.utf8()), remark="with its padding blanks"),
    "char": TypeRule(arrow=_always(pa.utf8()), select=_CHAR, list_select=None),
    "bytea": TypeRule(arrow=_always(pa.binary())),
    "date": TypeRule(arrow=_always(pa.date32()), holes=True),
    "time": TypeRule(arrow=_always(pa.time64("us")), holes=True),
    "timestamp": TypeRule(arrow=_always(pa.timestamp("us")), holes=True),
    "timestamptz": TypeRule(arrow=_always(pa.timestamp("us", "UTC")), holes=True),
    "interval": TypeRule(
        arrow=_always(pa.utf8()),
        select=_INTERVAL,
        list_select=None,
        fidelity=Fidelity.COMPATIBLE,
        remark="ISO 8601, a fraction of a second with six digits",
    ),
    "json": TypeRule(arrow=_always(pa.json_())),
    "jsonb": TypeRule(arrow=_always(pa.json_()), remark="as the server writes it: one blank behind : and ,"),
    "uuid": TypeRule(arrow=_always(pa.uuid())),
    # A cast keeps a declaration in front, whose encoding is that of the server and not that of the file.
    "xml": attrs.evolve(TEXT, select=selects.PRINTED),
}
