"""Arrays as lists: the shape is the value's, not the type's, so every value is looked at where it is read.

A list has one dimension and begins at 1; the driver would flatten the one and stumble over the other.
"""

from __future__ import annotations

from rivet_source_postgres.failures import ARRAY_MARK
from rivet_source_postgres.quoting import literal


def misshapen(column: str) -> str:
    """Return the test that a value cannot be a list.

    :param column: the column in SQL.
    """
    return f"coalesce(array_ndims({column}) > 1 OR array_lower({column}, 1) <> 1, false)"


def refusing(column: str, name: str, select: str) -> str:
    """Return the expression that ends the read with the column's name and the value's bounds.

    PostgreSQL has no function that raises, so a text that is no number is made a number.
    """
    said = f"({literal(f'{ARRAY_MARK}|{name}|')} || array_dims({column}))::int4"
    return f"CASE WHEN CASE WHEN {misshapen(column)} THEN {said} IS NULL ELSE true END THEN {select} END"


def nulling(column: str, select: str) -> str:
    """Return the expression that gives NULL instead; the read counts them beside it."""
    return f"CASE WHEN NOT {misshapen(column)} THEN {select} END"
