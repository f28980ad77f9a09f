"""Capabilities of a destination."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class DestinationCapabilities:
    """What a destination can do.

    :param durable: what was put survives the process; False means one unit, one part, no manifest, and no run that
        would move a position.
    :param readable: objects can be got, listed and stat'ed again.
    :param conditional_create: ``put(create=True)`` refuses atomically when the object is there.
    :param removable: it is a :class:`~rivet_core.protocols.RemovableDestination`.
    :param md5: receipts carry the store's own MD5.
    """

    durable: bool = True
    readable: bool = True
    conditional_create: bool = True
    removable: bool = False
    md5: bool = False
