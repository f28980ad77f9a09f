from __future__ import annotations

import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from rivet_core.manifest import xxh3

MASK = (1 << 64) - 1


def expected_64(cells: list[bytes]) -> list[int]:
    return [xxhash.xxh3_64_intdigest(cell) for cell in cells]


def expected_128_low(cells: list[bytes]) -> list[int]:
    return [xxhash.xxh3_128_intdigest(cell) & MASK for cell in cells]


def random_bytes(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)


def laid_out(cells: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, cells)], dtype=np.int64)
    return np.frombuffer(b"".join(cells), np.uint8), offsets


def cells_of_every_length() -> list[bytes]:
    data = random_bytes(300_000).tobytes()
    lengths = [*range(601), 1023, 1024, 1025, 4097]
    return [data[100 * i : 100 * i + length] for i, length in enumerate(lengths)]


def test_the_64_bit_digest_is_that_of_xxhash_for_every_length() -> None:
    cells = cells_of_every_length()
    assert xxh3.digest64(*laid_out(cells)).tolist() == expected_64(cells)


def test_the_lower_half_of_the_128_bit_digest_is_that_of_xxhash_for_every_length() -> None:
    cells = cells_of_every_length()
    assert xxh3.digest128_low(*laid_out(cells)).tolist() == expected_128_low(cells)


@pytest.mark.parametrize("width", [*range(34), 63, 64, 65, 96, 97, 128, 129, 143, 144, 160, 239, 240, 241, 300])
def test_rows_of_a_matrix_have_the_digests_of_their_bytes(width: int) -> None:
    matrix = random_bytes(5 * width).reshape(5, width)
    cells = [row.tobytes() for row in matrix]
    assert xxh3.digest64_fixed(matrix).tolist() == expected_64(cells)
    assert xxh3.digest128_low_fixed(matrix).tolist() == expected_128_low(cells)


@given(st.lists(st.one_of(st.binary(max_size=20), st.binary(max_size=300)), max_size=50), st.binary(max_size=30))
def test_cells_of_mixed_lengths_anywhere_in_a_buffer_have_the_digests_of_their_bytes(
    cells: list[bytes], before: bytes
) -> None:
    data, offsets = laid_out([before, *cells])
    assert xxh3.digest64(data, offsets[1:]).tolist() == expected_64(cells)
    assert xxh3.digest128_low(data, offsets[1:]).tolist() == expected_128_low(cells)


def test_bytes_between_cells_do_not_count() -> None:
    data = random_bytes(4000)
    starts = np.arange(0, 4000, 40)
    sizes = np.arange(100) % 41
    cells = [data[start : start + size].tobytes() for start, size in zip(starts, sizes, strict=True)]
    assert xxh3.digest64_spread(data, starts, sizes).tolist() == expected_64(cells)


def test_a_column_of_several_blocks_is_digested_whole() -> None:
    count = 2 * xxh3.BLOCK + 17
    data = random_bytes(8 * count)
    cells = [data[8 * i : 8 * i + 8].tobytes() for i in range(count)]
    assert xxh3.digest64(data, np.arange(count + 1, dtype=np.int64) * 8).tolist() == expected_64(cells)
    assert xxh3.digest64_fixed(data.reshape(-1, 8)).tolist() == expected_64(cells)


def test_every_second_row_of_a_matrix_can_be_digested() -> None:
    matrix = random_bytes(240).reshape(20, 12)
    assert xxh3.digest64_fixed(matrix[::2]).tolist() == expected_64([row.tobytes() for row in matrix[::2]])


def test_no_cells_have_no_digests() -> None:
    assert xxh3.digest64(np.zeros(0, np.uint8), np.zeros(1, np.int64)).size == 0
    assert xxh3.digest64_fixed(np.zeros((0, 8), np.uint8)).size == 0
