"""The user's wishes for single columns: type overrides and policies, with or without a table's name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rivet_core.config.nodes import Keyed
from rivet_core.config.problems import VALUE
from rivet_core.config.showing import masked, shown
from rivet_core.config.suggestions import closest
from rivet_core.types import ColumnRules, InvalidValue, Table

if TYPE_CHECKING:
    from rivet_core.config.keys import ExportKeys, Policy
    from rivet_core.config.reading import Reading
    from rivet_core.errors import Place
    from rivet_core.types import Relation

TYPE_WORDS: Final = (
    *("bool", "smallint", "int", "bigint", "int2", "int4", "int8", "int16", "int32", "int64"),
    *("float4", "float8", "real", "double", "text", "varchar", "string", "char", "bpchar", "name"),
    *("binary", "bytea", "blob", "varbinary", "date", "json", "jsonb", "uuid", "timestamp", "timestamp_ns"),
    *("timestamp_tz", "timestamptz", "timestamp_utc", "timestamp_tz_ns"),
)
_DECIMAL: Final = re.compile(r"(?:decimal|numeric)\(\s*([0-9]{1,3})\s*,\s*(-?[0-9]{1,3})\s*\)")
#: The column name that stands for all others in ``on_invalid_value``.
OTHERS: Final = "*"
_UNKNOWN_TABLE: Final = "RIVET_CONFIG_COLUMN_OVERRIDE_TABLE_UNKNOWN"
_TYPE_INVALID: Final = "RIVET_CONFIG_COLUMN_OVERRIDE_TYPE_INVALID"


def column_rules(keys: ExportKeys, relation: Relation | None, export: Keyed, reading: Reading) -> ColumnRules:
    """Return the rules of an export; what is wrong with them is reported at its key."""
    types = _by_column(keys.columns, "columns", keys.table, relation, export, reading)
    for column, word in keys.columns:
        if reason := refuse_type_word(word):
            place = _place(export, "columns", column)
            message = f"{shown(word)} is no type for the column {shown(column)}"
            reading.problem(place, message, code=_TYPE_INVALID, remedy=reason)
    policies: tuple[tuple[str, Policy], ...]
    if isinstance(keys.on_invalid_value, str):
        others, policies = keys.on_invalid_value, ()
    else:
        others = dict(keys.on_invalid_value).get(OTHERS, "fail")
        policies = tuple(pair for pair in keys.on_invalid_value if pair[0] != OTHERS)
    named = _by_column(policies, "on_invalid_value", keys.table, relation, export, reading)
    return ColumnRules(
        types=types,
        on_invalid=InvalidValue(others),
        on_invalid_by_column=tuple((column, InvalidValue(policy)) for column, policy in named),
    )


def refuse_type_word(word: str) -> str | None:
    """Return what is wrong with a type word, or None."""
    if match := _DECIMAL.fullmatch(word.strip().lower()):
        precision, scale = int(match[1]), int(match[2])
        if not 1 <= precision <= 76:
            return "write a precision between 1 and 76"
        if not 0 <= scale <= precision:
            return "write a scale between 0 and the precision"
        return None
    if word.strip().lower() in TYPE_WORDS:
        return None
    if word.strip().lower().startswith(("decimal", "numeric")):
        return "write decimal(precision, scale), such as decimal(18,2)"
    near = closest(word, TYPE_WORDS)
    return f"did you mean {near!r}?" if near else f"choose one of {', '.join(TYPE_WORDS)} and decimal(p,s)"


def _by_column(
    given: tuple[tuple[str, str], ...],
    key: str,
    written: str | None,
    relation: Relation | None,
    export: Keyed,
    reading: Reading,
) -> tuple[tuple[str, str], ...]:
    """Return values by bare column name; a name with the table beats a bare one.

    :param written: the table as the file has it, which may be spelt otherwise than the relation.
    """
    spelt = (written or "").strip()
    bare: dict[str, str] = {}
    qualified: dict[str, str] = {}
    for name, value in given:
        # A query's columns may have dots in their names, and belong to no table.
        table, dot, column = name.rpartition(".") if isinstance(relation, Table) else ("", "", name)
        if not dot:
            bare[column] = value
        elif isinstance(relation, Table) and table in {relation.name, str(relation), spelt, spelt.rpartition(".")[2]}:
            qualified[column] = value
        else:
            message = f"{shown(name)} names the table {shown(table)}, and this export reads {masked(str(relation))}"
            reading.problem(
                _place(export, key, name), message, code=_UNKNOWN_TABLE, remedy=f"write {shown(column)} alone"
            )
        if not column:
            reading.problem(
                _place(export, key, name),
                "the name of a column is empty",
                code=VALUE,
                remedy="write the name of a column before the colon",
            )
    return tuple((bare | qualified).items())


def _place(export: Keyed, key: str, column: str) -> Place:
    block = export.get(key)
    entry = block.value.get(column) if block is not None and isinstance(block.value, Keyed) else None
    return entry.place if entry is not None else export.place
