"""From the catalogue's columns and the user's rules to the columns as they will be delivered; pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from rivet_core.errors import Place, UsageError
from rivet_core.sources.sqlite.names import reference
from rivet_core.sources.sqlite.overrides import override
from rivet_core.sources.sqlite.types import Mapping, affinity, exact_text, mapping
from rivet_core.sources.sqlite.validity import keeps_promise
from rivet_core.types import Column, ColumnRules, Fidelity, InvalidValue, Query, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rivet_core.sources.sqlite.catalogue import CatalogueColumn

_TWIN: Final = re.compile(r":\d+$")


def delivered(relation: Relation, columns: Iterable[CatalogueColumn], rules: ColumnRules) -> tuple[Column, ...]:
    """Return the columns as they will be delivered.

    :raises UsageError: naming every column whose override cannot be delivered.
    """
    columns = tuple(columns)
    if isinstance(relation, Query):
        _refuse_twins(relation, [column.name for column in columns])
    planned = [(column, _planned(column, rules)) for column in columns]
    refused = [column for column, found in planned if found is None]
    if refused:
        listed = ", ".join(
            f"{column.name} ({column.declared or 'no type'} as {rules.override(column.name)})" for column in refused
        )
        msg = f"{relation} cannot deliver: {listed}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(relation=str(relation), field=refused[0].name),
            remedy="Use text, or convert the column in a query and give the type of the result.",
        )
    return tuple(_column(relation, column, found, rules) for column, found in planned if found is not None)


def _refuse_twins(query: Query, names: list[str]) -> None:
    """Refuse columns that the query calls the same: SQLite's view of it calls them ``a`` and ``a:1``."""
    twice = sorted({base for name in names if (base := _TWIN.sub("", name)) != name and base in names})
    if twice:
        msg = f"several columns are called {', '.join(twice)}"
        raise UsageError(
            msg,
            code="RIVET_TYPE_UNSAFE_MAPPING",
            place=Place(relation=str(query)),
            remedy="Give each column of the query a name of its own with AS.",
        )


def _planned(column: CatalogueColumn, rules: ColumnRules) -> Mapping | None:
    word = rules.override(column.name)
    found = mapping(column.declared) if word is None else override(word, column.declared)
    if found is not None and rules.policy(column.name) is InvalidValue.TEXT and not _certain(column, rules):
        return exact_text("on_invalid_value: text")
    return found


def _certain(column: CatalogueColumn, rules: ColumnRules) -> bool:
    """Return whether SQLite itself keeps every other value out of the column."""
    return column.guarded and rules.override(column.name) is None


def _column(relation: Relation, column: CatalogueColumn, found: Mapping, rules: ColumnRules) -> Column:
    plain = reference(relation, column.name)
    expression = plain
    text = found.fidelity is Fidelity.TEXT
    nulls = rules.policy(column.name) is InvalidValue.NULL and not text and not _certain(column, rules)
    if found.type == pa.binary() and affinity(column.declared) == "TEXT":
        expression = f"CAST({plain} AS BLOB)"
    elif nulls:
        expression = f"CASE WHEN {keeps_promise(plain, found.type)} THEN {plain} END"
    return Column(
        name=column.name,
        native_type=column.declared or "(no type)",
        field=pa.field(column.name, found.type, nullable=True),
        expression=expression,
        fidelity=found.fidelity,
        not_null=column.not_null and not nulls,
        remark=found.remark,
    )
