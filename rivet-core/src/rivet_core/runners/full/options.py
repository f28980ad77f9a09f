"""The options of the runner ``full``: none."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class FullOptions:
    """Reading everything has nothing to configure."""
