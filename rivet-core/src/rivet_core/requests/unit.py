"""The unit: a part of an export's work that is read, retried and resumed by itself."""

from __future__ import annotations

import attrs

from rivet_core.requests.keys import Keys
from rivet_core.requests.read import ReadRequest


@attrs.frozen(kw_only=True)
class Paging:
    """Read by seeking: ``rows`` rows a page in the order of ``keys``; the engine turns the pages.

    :param keys: together unique and NOT NULL, or a page border could lose rows.
    """

    keys: Keys
    rows: int


@attrs.frozen(kw_only=True)
class Unit:
    """A value that pickles and serialises: a thread, a process or a cluster can read it.

    The first and the last range of a split are open-ended.

    :param id: unique in the run and stable; part of the parts' names, so letters, digits, ``-`` and ``_`` only.
    :param ordinal: its place in the run's order, from 0; the run's position is the last mark of the highest ordinal
        that has one.
    """

    id: str
    ordinal: int
    request: ReadRequest
    paging: Paging | None = None
