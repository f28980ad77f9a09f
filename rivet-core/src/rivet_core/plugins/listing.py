"""The rows that ``rivet plugins`` prints."""

from __future__ import annotations

from enum import StrEnum

import attrs


class PluginState(StrEnum):
    """What is known of a plugin so far."""

    NOT_LOADED = "not loaded"
    LOADED = "loaded"
    BROKEN = "broken"
    #: Installed, and left out by ``RIVET_PLUGINS``.
    LEFT_OUT = "left out"


@attrs.frozen(kw_only=True)
class PluginRow:
    """One kind of one distribution.

    :param seam: ``source``, ``runner``, ``format``, ``destination``, ``observer``, or empty for a name that is none.
    :param reason: why it is broken or left out.
    """

    seam: str
    kind: str
    distribution: str
    version: str
    module: str
    state: PluginState
    reason: str = ""
