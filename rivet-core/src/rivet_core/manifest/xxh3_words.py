"""The words of XXH3: its default secret, its primes and the 64-bit arithmetic over numpy arrays.

Nothing here knows a length class or an Arrow type; seed 0 is taken for granted.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Words: TypeAlias = npt.NDArray[np.uint64]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Offsets: TypeAlias = npt.NDArray[np.int64]

MASK64: Final = (1 << 64) - 1

SECRET: Final = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)

PRIME32_1: Final = 0x9E3779B1
PRIME32_2: Final = 0x85EBCA77
PRIME32_3: Final = 0xC2B2AE3D
PRIME64_1: Final = 0x9E3779B185EBCA87
PRIME64_2: Final = 0xC2B2AE3D27D4EB4F
PRIME64_3: Final = 0x165667B19E3779F9
PRIME64_4: Final = 0x85EBCA77C2B2AE63
PRIME64_5: Final = 0x27D4EB2F165667C5
PRIME_MX1: Final = 0x165667919E3779F9
PRIME_MX2: Final = 0x9FB21C651E98DF25

_LOW: Final = np.uint64(0xFFFFFFFF)
_32: Final = np.uint64(32)


def word(value: int) -> np.uint64:
    """Return a Python integer as a 64-bit word, wrapped."""
    return np.uint64(value & MASK64)


def secret32(at: int) -> int:
    """Return the 32 bits of the secret at a byte position, little-endian."""
    return int.from_bytes(SECRET[at : at + 4], "little")


def secret64(at: int) -> int:
    """Return the 64 bits of the secret at a byte position, little-endian."""
    return int.from_bytes(SECRET[at : at + 8], "little")


def unaligned(data: Bytes, width: int) -> npt.NDArray[np.void]:
    """View bytes so that element i is the `width` bytes that start at byte i.

    Gathering from such a view costs about the same for 8 bytes and for 100.
    """
    count = max(0, data.size - width + 1)
    return np.ndarray(shape=(count,), dtype=f"V{width}", buffer=data, strides=(1,))


def place(matrix: Bytes, at: int, rows: Bytes) -> None:
    """Copy the rows of a contiguous matrix of bytes into columns of another, from column `at`.

    A whole row is one item then, which is ten times as fast as copying slices.
    """
    width = rows.shape[1]
    if width:
        matrix[:, at : at + width].view(f"V{width}")[:, 0] = rows.view(f"V{width}")[:, 0]


def rotate_left(words: Words, bits: int) -> Words:
    """Rotate each word towards its high end."""
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


def xor_shift(words: Words, bits: int) -> Words:
    """Return each word xor-ed with itself, shifted to the right."""
    return words ^ (words >> np.uint64(bits))


def high(a: Words, b: Words | np.uint64) -> Words:
    """Return the upper 64 bits of each 128-bit product."""
    a_low, a_high = a & _LOW, a >> _32
    b_low, b_high = b & _LOW, b >> _32
    cross = a_low * b_low
    cross >>= _32
    middle = a_high * b_low
    cross += middle & _LOW
    cross += a_low * b_high
    cross >>= _32
    middle >>= _32
    a_high *= b_high
    a_high += middle
    a_high += cross
    return a_high


def fold(a: Words, b: Words) -> Words:
    """Return the two halves of each 128-bit product, xor-ed."""
    product = high(a, b)
    product ^= a * b
    return product


def avalanche(words: Words) -> Words:
    """Finish a word the XXH3 way."""
    mixed = xor_shift(words, 37)
    mixed *= word(PRIME_MX1)
    return xor_shift(mixed, 32)


def avalanche_xxh64(words: Words) -> Words:
    """Finish a word the older XXH64 way, which XXH3 keeps for the shortest inputs."""
    mixed = xor_shift(words, 33)
    mixed *= word(PRIME64_2)
    mixed = xor_shift(mixed, 29)
    mixed *= word(PRIME64_3)
    return xor_shift(mixed, 32)
