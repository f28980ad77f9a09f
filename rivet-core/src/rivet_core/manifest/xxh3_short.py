"""XXH3 of cells of 0 to 240 bytes, as closed formulas over whole columns, one a length class.

`KERNELS_64` and `KERNELS_128_LOW` hold one kernel a class, in the order that `CLASS_OF_LENGTH`
numbers them; the 128-bit ones give only the lower half. Longer cells live in `xxh3_long`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from rivet_core.manifest.xxh3_cells import Cells
from rivet_core.manifest.xxh3_words import (
    PRIME32_2,
    PRIME64_1,
    PRIME64_2,
    PRIME_MX2,
    Words,
    avalanche,
    avalanche_xxh64,
    fold,
    high,
    rotate_left,
    secret32,
    secret64,
    word,
    xor_shift,
)

Kernel: TypeAlias = Callable[[Cells], Words]
Halves: TypeAlias = tuple[Words, Words]

SHORT: Final = 240
"""The longest cell, in bytes, that has a closed formula."""

_SHORTEST_OF_CLASS: Final = (0, 1, 4, 9, 17, 33, 65, 97, 129, *range(144, SHORT + 1, 16))

CLASS_OF_LENGTH: Final = (np.searchsorted(_SHORTEST_OF_CLASS, np.arange(SHORT + 1), side="right") - 1).astype(np.uint8)

_8: Final = np.uint64(8)
_32: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)
_BYTE: Final = np.uint64(0xFF)


def _mix(words: Words, at: int) -> Words:
    """Mix two neighbouring words, the columns of a matrix, with the secret at a byte position."""
    return fold(words[:, 0] ^ word(secret64(at)), words[:, 1] ^ word(secret64(at + 8)))


def _empty(secret: int) -> Kernel:
    constant = avalanche_xxh64(np.array([secret], dtype=np.uint64))
    return lambda _: constant


def _one_to_three(cells: Cells) -> Words:
    """Serve both digests: the lower half of the 128-bit one is the 64-bit one."""
    first, length = cells.first(), cells.length
    middle = (first >> ((length >> np.uint64(1)) * _8)) & _BYTE
    last = (first >> ((length - np.uint64(1)) * _8)) & _BYTE
    combined = (first & _BYTE) << np.uint64(16)
    combined |= middle << np.uint64(24)
    combined |= last
    combined |= length << _8
    combined ^= word(secret32(0) ^ secret32(4))
    return avalanche_xxh64(combined)


def _ends_of_four_to_eight(cells: Cells) -> tuple[Words, Words]:
    first, length = cells.first(), cells.length
    return first & _LOW, (first >> ((length - np.uint64(4)) * _8)) & _LOW


def _four_to_eight(cells: Cells) -> Words:
    start, end = _ends_of_four_to_eight(cells)
    mixed = (start << _32) | end
    mixed ^= word(secret64(8) ^ secret64(16))
    mixed ^= rotate_left(mixed, 49) ^ rotate_left(mixed, 24)
    mixed *= word(PRIME_MX2)
    mixed ^= (mixed >> np.uint64(35)) + cells.length
    mixed *= word(PRIME_MX2)
    return xor_shift(mixed, 28)


def _four_to_eight_low(cells: Cells) -> Words:
    start, end = _ends_of_four_to_eight(cells)
    keyed = (end << _32) | start
    keyed ^= word(secret64(16) ^ secret64(24))
    factor = word(PRIME64_1) + (cells.length << np.uint64(2))
    low = keyed * factor
    upper = high(keyed, factor)
    upper += low << np.uint64(1)
    low ^= upper >> np.uint64(3)
    low = xor_shift(low, 35)
    low *= word(PRIME_MX2)
    return xor_shift(low, 28)


def _nine_to_sixteen(cells: Cells) -> Words:
    low = cells.head(1)[:, 0] ^ word(secret64(24) ^ secret64(32))
    upper = cells.tail(1)[:, 0] ^ word(secret64(40) ^ secret64(48))
    mixed = fold(low, upper)
    mixed += cells.length
    mixed += low.byteswap()
    mixed += upper
    return avalanche(mixed)


def _nine_to_sixteen_low(cells: Cells) -> Words:
    start, end = cells.head(1)[:, 0], cells.tail(1)[:, 0]
    mixed = start ^ end
    mixed ^= word(secret64(32) ^ secret64(40))
    low = mixed * word(PRIME64_1)
    low += (cells.length - np.uint64(1)) << np.uint64(54)
    upper = high(mixed, word(PRIME64_1))
    end = end ^ word(secret64(48) ^ secret64(56))
    upper += end
    upper += (end & _LOW) * word(PRIME32_2 - 1)
    low ^= upper.byteswap()
    low *= word(PRIME64_2)
    return avalanche(low)


def _seventeen_to_128(rounds: int) -> Kernel:
    def kernel(cells: Cells) -> Words:
        total = cells.length * word(PRIME64_1)
        head, tail = cells.head(2 * rounds), cells.tail(2 * rounds)
        for i in range(rounds):
            total = total + _mix(head[:, 2 * i :], 32 * i)
            total += _mix(tail[:, 2 * (rounds - 1 - i) :], 32 * i + 16)
        return avalanche(total)

    return kernel


def _mix_halves(halves: Halves, one: Words, two: Words, at: int) -> Halves:
    low = halves[0] + _mix(one, at)
    low ^= two[:, 0] + two[:, 1]
    upper = halves[1] + _mix(two, at + 16)
    upper ^= one[:, 0] + one[:, 1]
    return low, upper


def _halves(cells: Cells) -> Halves:
    low = cells.length * word(PRIME64_1)
    return low, np.zeros_like(low)


def _seventeen_to_128_low(rounds: int) -> Kernel:
    def kernel(cells: Cells) -> Words:
        halves = _halves(cells)
        head, tail = cells.head(2 * rounds), cells.tail(2 * rounds)
        for i in reversed(range(rounds)):
            two = tail[:, 2 * (rounds - 1 - i) :]
            halves = _mix_halves(halves, head[:, 2 * i :], two, 32 * i)
        return avalanche(halves[0] + halves[1])

    return kernel


def _from_129(rounds: int) -> Kernel:
    def kernel(cells: Cells) -> Words:
        total = cells.length * word(PRIME64_1)
        head = cells.head(2 * rounds)
        for i in range(8):
            total = total + _mix(head[:, 2 * i :], 16 * i)
        total = avalanche(total)
        for i in range(8, rounds):
            total += _mix(head[:, 2 * i :], 16 * (i - 8) + 3)
        total += _mix(cells.tail(2), 119)
        return avalanche(total)

    return kernel


def _from_129_low(rounds: int) -> Kernel:
    def kernel(cells: Cells) -> Words:
        halves = _halves(cells)
        head, tail = cells.head(2 * rounds), cells.tail(4)
        for i in range(0, 8, 2):
            halves = _mix_halves(halves, head[:, 2 * i :], head[:, 2 * i + 2 :], 16 * i)
        halves = avalanche(halves[0]), avalanche(halves[1])
        for i in range(8, rounds - 1, 2):
            one, two = head[:, 2 * i :], head[:, 2 * i + 2 :]
            halves = _mix_halves(halves, one, two, 16 * (i - 8) + 3)
        halves = _mix_halves(halves, tail[:, 2:], tail, 103)
        return avalanche(halves[0] + halves[1])

    return kernel


KERNELS_64: Final[tuple[Kernel, ...]] = (
    _empty(secret64(56) ^ secret64(64)),
    _one_to_three,
    _four_to_eight,
    _nine_to_sixteen,
    *(_seventeen_to_128(rounds) for rounds in (1, 2, 3, 4)),
    *(_from_129(rounds) for rounds in range(8, 16)),
)

KERNELS_128_LOW: Final[tuple[Kernel, ...]] = (
    _empty(secret64(64) ^ secret64(72)),
    _one_to_three,
    _four_to_eight_low,
    _nine_to_sixteen_low,
    *(_seventeen_to_128_low(rounds) for rounds in (1, 2, 3, 4)),
    *(_from_129_low(rounds) for rounds in range(8, 16)),
)
