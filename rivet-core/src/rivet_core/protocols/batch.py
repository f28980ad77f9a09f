"""The batch: some rows on their way from a source to the sink."""

from __future__ import annotations

import attrs
import pyarrow as pa

from rivet_core.types import Position


@attrs.frozen(kw_only=True)
class Batch:
    """Rows of one dataset, and perhaps a mark behind them.

    :param data: the request's columns in order, and any hidden keys behind them; never a buffer that the source
        writes to again.
    :param dataset: which of the run's outputs; empty for the only one.
    :param mark: everything of this unit up to and including this position has been yielded. Pages and transactions
        end in marks, a plain scan has none.
    :param nulled: how many cells of which column were replaced by NULL, under ``on_invalid_value: null``.
    """

    data: pa.RecordBatch
    dataset: str = ""
    mark: Position | None = None
    nulled: tuple[tuple[str, int], ...] = ()
