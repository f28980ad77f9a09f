"""A handle on one consistent state of a source."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Snapshot:
    """One consistent state that several connections read; it lives while its owner keeps it open.

    :param token: the source's own name for it.
    :param travels: whether another process can read in it.
    """

    token: str
    travels: bool = False
