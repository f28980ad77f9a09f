"""Arrays as lists: the shape is the value's, not the type's, so every value is looked at where it is read.

A list has one dimension and begins at 1; the driver would flatten the one and stumble over the other.
"""

from __future__ import annotations

from typing import Final

from rivet_source_postgres.failures import ARRAY_MARK
from rivet_source_postgres.pinned import pinned
from rivet_source_postgres.quoting import literal
from rivet_source_postgres.selects import Select

_MISSHAPEN: Final = Select(
    pinned("coalesce(pg_catalog.array_ndims({c}) > 1 OR pg_catalog.array_lower({c}, 1) <> 1, false)")
)


def misshapen(column: str) -> str:
    """Return the test that a value cannot be a list.

    :param column: the column in SQL.
    """
    return _MISSHAPEN.of(column)


def refusing(column: str, name: str, select: str) -> str:
    """Return the expression that ends the read with the column's name and the value's bounds.

    PostgreSQL has no function that raises, so a text that is no number is made a number.
    """
    told = literal(f"{ARRAY_MARK}|{name}|")
    said = f"pg_catalog.concat({told}, pg_catalog.array_dims({column}))::pg_catalog.int4"
    return f"CASE WHEN CASE WHEN {misshapen(column)} THEN {said} IS NULL ELSE true END THEN {select} END"


def nulling(column: str, select: str) -> str:
    """Return the expression that gives NULL instead; the read counts them beside it."""
    return f"CASE WHEN NOT {misshapen(column)} THEN {select} END"
