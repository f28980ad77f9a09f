"""Numbers beyond which a binary real no longer tells what was meant."""

from __future__ import annotations

from typing import Final

#: Every decimal of so many digits survives being kept in a 64-bit real.
CERTAIN_DIGITS: Final = 15
#: Up to here the powers of ten are 64-bit reals themselves.
EXACT_POWER: Final = 22
#: From here on a 64-bit real becomes infinite in single precision.
SINGLE_LIMIT: Final = float.fromhex("0x1.ffffffp+127")
