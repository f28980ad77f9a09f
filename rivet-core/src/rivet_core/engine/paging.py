"""The reads of one unit: pages are turned here, and a resume goes on after the last mark."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

import attrs

from rivet_core.errors import InternalError, Place, UsageError
from rivet_core.protocols import Batch, Source
from rivet_core.requests import After, AtOrAfter, ColumnKey, Keys, Paging, ReadContext, ReadRequest, Unit
from rivet_core.types import Position


def read_unit(
    source: Source, unit: Unit, context: ReadContext, mark: Position | None = None
) -> Generator[Batch, None, None]:
    """Yield the unit's batches that lie after a mark; one read is open at a time, and closing the iterator closes it.

    :param mark: the unit's last recorded mark, or None to begin at its start.
    :raises UsageError: ``RIVET_PLAN_KEY_UNUSABLE`` when a full page does not move on.
    """
    if unit.paging is None:
        request = unit.request if mark is None else after(unit.request, unit.request.order, mark)
        yield from _read(source, request, context)
        return
    if unit.request.limit is not None:
        msg = f"the unit {unit.id} is paged and limited; a resume could not tell how much of the limit is left"
        raise InternalError(msg, code="RIVET_INTERNAL_CONTRACT")
    yield from _turn_pages(source, unit, unit.paging, context, mark)


def after(request: ReadRequest, keys: Keys, mark: Position) -> ReadRequest:
    """Return the request narrowed to what lies after a mark; a lower bound by the same keys is replaced."""
    terms = tuple(term for term in request.terms if not (isinstance(term, After | AtOrAfter) and term.keys == keys))
    return attrs.evolve(request, terms=(*terms, After(keys, mark)))


def _turn_pages(
    source: Source, unit: Unit, paging: Paging, context: ReadContext, mark: Position | None
) -> Generator[Batch, None, None]:
    request = attrs.evolve(unit.request, order=paging.keys, hidden=paging.keys, limit=paging.rows)
    while True:
        rows = 0
        last: Position | None = None
        page = request if mark is None else after(request, paging.keys, mark)
        with closing(_read(source, page, context)) as batches:
            for batch in batches:
                rows += batch.data.num_rows
                # Rows behind the last mark would be read again by the next page, so they make it worthless.
                if batch.mark is not None or batch.data.num_rows:
                    last = batch.mark
                yield batch
        if rows < paging.rows:
            return
        if last is None or last == mark:
            raise _stuck(unit, paging, marked=last is not None)
        mark = last


def _read(source: Source, request: ReadRequest, context: ReadContext) -> Generator[Batch, None, None]:
    with source.read(request, context) as batches:
        yield from batches


def _stuck(unit: Unit, paging: Paging, *, marked: bool) -> UsageError:
    names = ", ".join(key.name if isinstance(key, ColumnKey) else "/".join(key.columns) for key in paging.keys)
    why = "ends where the page before it ended" if marked else "ends in no mark"
    return UsageError(
        f"unit {unit.id}: a full page of {paging.rows} rows {why}, so the next page cannot begin after it",
        code="RIVET_PLAN_KEY_UNUSABLE",
        place=Place(relation=str(unit.request.relation), field=names),
        remedy="Page by a key whose columns are together unique and NOT NULL, or read the relation in another mode.",
    )
