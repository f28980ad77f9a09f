"""SQLite's storage classes, which Python's types mirror: telling them apart, a column at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

#: A column of one chunk, as the driver gives it.
Values = tuple[Any, ...]

STORAGE: Final = {int: "INTEGER", float: "REAL", str: "TEXT", bytes: "BLOB", type(None): "NULL"}


def classes(values: Values) -> frozenset[type]:
    """Return the storage classes that occur, without NULL."""
    return frozenset(map(type, values)) - {type(None)}


def split(values: Values) -> dict[type, Values]:
    """Return one column for each storage class that occurs: its values, and NULL where another class stands."""
    found = classes(values)
    if len(found) == 1:
        return {next(iter(found)): values}
    cells = np.fromiter(values, dtype=object, count=len(values))
    types = np.fromiter(map(type, values), dtype=object, count=len(values))
    columns = {}
    for kind in sorted(found, key=STORAGE.__getitem__):
        column = np.full(len(values), None, dtype=object)
        column[types == kind] = cells[types == kind]
        columns[kind] = tuple(column)
    return columns


def shown(value: Any) -> str:
    """Return a value for a message, with its storage class, cut to a line."""
    text = f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)
    text = text.encode("unicode_escape").decode("ascii") if isinstance(value, str) and not text.isprintable() else text
    return f"{text if len(text) <= 60 else text[:57] + '…'} ({STORAGE[type(value)]})"
