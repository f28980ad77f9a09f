"""One read of a source."""

from __future__ import annotations

import attrs

from rivet_core.requests.keys import Keys
from rivet_core.requests.terms import Term
from rivet_core.types import Column, Relation, Snapshot

#: Columns whose names start so carry keys; the sink drops them. No source column may start so.
HIDDEN_PREFIX = "_rivet_key_"


@attrs.frozen(kw_only=True)
class Budget:
    """How large one batch should be; a source keeps near both and a single row may exceed them."""

    bytes: int = 16 * 1024 * 1024
    rows: int = 65_536


@attrs.frozen(kw_only=True)
class ReadRequest:
    """What to read. A runner composes it, a source translates it, and it pickles.

    :param columns: in output order; empty only for streams, whose datasets fix their columns.
    :param hidden: keys that are selected in lossless form beside the columns, under :data:`HIDDEN_PREFIX`, to make
        marks from; a source that makes its marks otherwise may leave them out of the batches.
    :param terms: all of them hold.
    :param order: ascending; not empty means that batches end in marks, the position of their last row. A batch that
        ends between rows of equal keys has none: strictly after its position would lose the rest of them.
    :param limit: at most so many rows.
    """

    relation: Relation | None
    columns: tuple[Column, ...] = ()
    hidden: Keys = ()
    terms: tuple[Term, ...] = ()
    order: Keys = ()
    limit: int | None = None
    budget: Budget = Budget()


@attrs.frozen(kw_only=True)
class ReadContext:
    """The circumstances of one read.

    :param attempt: 1 for the first.
    :param snapshot: read in this state, or raise :class:`~rivet_core.errors.SnapshotGone`.
    """

    attempt: int = 1
    snapshot: Snapshot | None = None
