"""Sizes such as ``64MB``, in binary units; a number alone is bytes."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from rivet_core.config.scalars import LARGEST, Unreadable

_SIZE: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMG]?B)?\s*", re.IGNORECASE)
_UNITS: Final = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}


def read_size(text: str) -> int:
    """Return bytes.

    :raises Unreadable: saying what a size looks like.
    """
    match = _SIZE.fullmatch(text) if len(text) <= 64 else None
    if match is None:
        raise Unreadable(reason="is no size", remedy="write a number and one of B, KB, MB and GB, such as 64MB")
    size = int(Fraction(match[1]) * _UNITS[(match[2] or "B").upper()])
    if not 1 <= size <= LARGEST:
        reason = "is less than one byte" if size < 1 else "is larger than any file"
        raise Unreadable(reason=reason, remedy="write the bytes of a part, such as 64MB")
    return size
