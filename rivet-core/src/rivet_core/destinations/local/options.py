"""The options of the destination ``local``."""

from __future__ import annotations

from pathlib import Path

import attrs


@attrs.frozen(kw_only=True)
class LocalOptions:
    """Where the objects lie.

    :param path: the folder, made when absent, with everything above it.
    """

    path: Path
