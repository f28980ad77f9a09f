"""Questions about the parts of a run, which may be very many, and their counters, which are wide.

Sums are the database's work, and rows come in pages: each page is a query of its own, so that no statement is left open
while something else is done with its rows. Nothing here writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from rivet_core.state.rows import PartRow, PartTotals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.state.database import StateDatabase

_PAGE: Final = 256
#: Counters hold up to megabytes where the values of unique columns are told apart.
_COUNTERS_PAGE: Final = 16
_COLUMNS: Final = ", ".join(f"p.{field.name}" for field in attrs.fields(PartRow))


def in_order(
    database: StateDatabase, run_id: str, *, roll: int | None = None, dataset: str | None = None
) -> list[PartRow]:
    """Return the run's recorded parts, in the order of units and sequence, all at once: a manifest names them all.

    :param roll: only this roll's.
    :param dataset: only this dataset's.
    """
    chosen, parameters = _chosen("recorded", run_id=run_id, roll=roll, dataset=dataset)
    statement = (
        f"SELECT {_COLUMNS} FROM part p JOIN unit u ON u.run_id = p.run_id AND u.id = p.unit_id "
        f"WHERE {chosen} ORDER BY u.ordinal, p.attempt, p.sequence"
    )
    return [PartRow(*row) for row in database.rows(statement, parameters)]


def recorded(database: StateDatabase, run_id: str, roll: int | None = None) -> Iterator[PartRow]:
    """Yield the run's recorded parts, by roll and dataset; they may be moved to another state meanwhile.

    :param roll: only this roll's.
    """
    chosen, parameters = _chosen("recorded", run_id=run_id, roll=roll)
    groups = database.rows(f"SELECT DISTINCT p.roll, p.dataset FROM part p WHERE {chosen}", parameters)
    for number, dataset in groups:
        for row in _pages(database, _COLUMNS, "recorded", _PAGE, run_id=run_id, roll=number, dataset=dataset):
            yield PartRow(*row)


def intended(database: StateDatabase, run_id: str, unit_id: str | None = None) -> Iterator[PartRow]:
    """Yield the run's parts of which only the intent is known; they may be moved to another state meanwhile.

    :param unit_id: only this unit's.
    """
    chosen, parameters = _chosen("intended", run_id=run_id, unit_id=unit_id)
    for (unit,) in database.rows(f"SELECT DISTINCT p.unit_id FROM part p WHERE {chosen}", parameters):
        for row in _pages(database, _COLUMNS, "intended", _PAGE, run_id=run_id, unit_id=unit):
            yield PartRow(*row)


def counters(database: StateDatabase, run_id: str, roll: int, dataset: str) -> Iterator[str]:
    """Yield the counters of one dataset's recorded parts, as JSON text."""
    pages = _pages(database, "p.counters", "recorded", _COUNTERS_PAGE, run_id=run_id, roll=roll, dataset=dataset)
    for (text,) in pages:
        yield text


def totals(database: StateDatabase, run_id: str, roll: int | None = None) -> PartTotals:
    """Return what the recorded parts of the run, or of one roll, are together."""
    chosen, parameters = _chosen("recorded", run_id=run_id, roll=roll)
    statement = f"SELECT count(*), coalesce(sum(p.rows), 0), coalesce(sum(p.size), 0) FROM part p WHERE {chosen}"
    return PartTotals(*database.rows(statement, parameters)[0])


def rows_by_unit(database: StateDatabase, run_id: str) -> dict[str, int]:
    """Return the rows of the run's recorded parts, by the id of their unit."""
    chosen, parameters = _chosen("recorded", run_id=run_id)
    return dict(
        database.rows(f"SELECT p.unit_id, sum(p.rows) FROM part p WHERE {chosen} GROUP BY p.unit_id", parameters)
    )


def nulled(database: StateDatabase, run_id: str) -> tuple[tuple[str, int], ...]:
    """Return, by column, the cells of the recorded parts that became NULL under ``on_invalid_value: null``."""
    chosen, parameters = _chosen("recorded", run_id=run_id)
    statement = (
        "SELECT cells.key, sum(cells.value) FROM part p, json_each(p.counters, '$.nulled') cells "
        f"WHERE {chosen} GROUP BY cells.key ORDER BY cells.key"
    )
    return tuple((name, int(cells)) for name, cells in database.rows(statement, parameters))


def unconfirmed(database: StateDatabase, run_id: str, roll: int) -> tuple[str, ...]:
    """Return the keys of a roll's recorded parts whose MD5 the store did not confirm."""
    chosen, parameters = _chosen("recorded", run_id=run_id, roll=roll)
    statement = f"SELECT p.key FROM part p WHERE {chosen} AND p.store_md5 IS NOT p.md5 ORDER BY p.rowid"
    return tuple(row[0] for row in database.rows(statement, parameters))


def _pages(database: StateDatabase, columns: str, state: str, size: int, **equal: object) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of some parts in the order of their intents, a page at a time."""
    chosen, parameters = _chosen(state, **equal)
    statement = f"SELECT p.rowid, {columns} FROM part p WHERE {chosen} AND p.rowid > ? ORDER BY p.rowid LIMIT {size}"
    last = -1
    while True:
        page = database.rows(statement, (*parameters, last))
        for row in page:
            yield row[1:]
        if len(page) < size:
            return
        last = page[-1][0]


def _chosen(state: str, **equal: object) -> tuple[str, tuple[object, ...]]:
    """Return a condition on parts, and its parameters; None chooses nothing.

    The state stands in the text: only then may an index of that state's parts answer.
    """
    given = {name: value for name, value in equal.items() if value is not None}
    return " AND ".join([f"p.state = '{state}'", *(f"p.{name} = ?" for name in given)]), tuple(given.values())
