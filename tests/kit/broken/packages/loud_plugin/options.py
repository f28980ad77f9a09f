"""Options with every fault that options can have."""

from __future__ import annotations

import attrs


@attrs.define
class LoudOptions:
    """Mutable, and its password is plain text."""

    url: str = ""
    password: str = ""
    number: complex = 0j


@attrs.frozen(kw_only=True)
class QuietOptions:
    """Nothing to configure."""
