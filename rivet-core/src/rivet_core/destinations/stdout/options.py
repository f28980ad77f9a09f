"""The options of the destination ``stdout``: none."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class StdoutOptions:
    """Standard output has nothing to configure."""
