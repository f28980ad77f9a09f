"""Cuts a CSV file into records and fields, by blocks and without a step for each; it refuses what is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.laid_out import OCTETS, Bytes, Offsets, from_layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.formats.csv.options import CsvOptions

Flags: TypeAlias = npt.NDArray[np.bool_]

_NEWLINE: Final = ord("\n")
_BLOCK: Final = 2 * 1024 * 1024


@attrs.frozen(kw_only=True)
class _Block:
    """Whole records.

    :param marks: where a delimiter or the last character of a line break ends a field.
    :param quotes: where quotes are.
    :param passed: how many quotes stand before each mark.
    :param records: how many there are.
    """

    data: Bytes
    marks: Offsets
    quotes: Offsets
    passed: Offsets
    records: int


def columns_of(file: BinaryIO, options: CsvOptions, columns: int) -> Iterator[list[pa.LargeBinaryArray]]:
    """Yield the fields of some records at a time, one array a column, NULL where the file says so.

    :raises ValueError: when the file is not made of whole records with so many fields each.
    """
    before = 0
    for block in _blocks(file, options):
        yield _fields(block, options, columns, before)
        before += block.records


def _blocks(file: BinaryIO, options: CsvOptions) -> Iterator[_Block]:
    rest, size = b"", _BLOCK
    while True:
        more = file.read(size)
        text = rest + more
        if not text:
            return
        block = _whole_records(np.frombuffer(text, np.uint8), ord(options.delimiter), ord(options.quote))
        if block is not None:
            yield block
            rest, size = text[len(block.data) :], _BLOCK
        elif more:
            # A record may be larger than a block; the block then grows with it.
            rest, size = text, 2 * size
        else:
            msg = "the file ends in the middle of a record: it was not finished, or its end is lost"
            raise ValueError(msg)


def _whole_records(data: Bytes, delimiter: int, quote: int) -> _Block | None:
    """Return the records that end in the data, which begins outside of quotes; None when none does."""
    special = np.flatnonzero((data == delimiter) | (data == quote) | (data == _NEWLINE))
    found = data[special]
    passed = np.cumsum(found == quote)
    # What ends a field has an even number of quotes before it.
    outside = (found != quote) & (passed % 2 == 0)
    breaks = np.flatnonzero(outside & (found == _NEWLINE))
    if not breaks.size:
        return None
    end = int(breaks[-1]) + 1
    special, passed, outside = special[:end], passed[:end], outside[:end]
    return _Block(
        data=data[: special[-1] + 1],
        marks=special[outside],
        quotes=special[found[:end] == quote],
        passed=passed[outside],
        records=len(breaks),
    )


def _fields(block: _Block, options: CsvOptions, columns: int, before: int) -> list[pa.LargeBinaryArray]:
    data, marks = block.data, block.marks
    if len(marks) != block.records * columns or (data[marks[columns - 1 :: columns]] != _NEWLINE).any():
        raise ValueError(_uneven(block, columns, before))
    begins = np.concatenate(([0], marks[:-1] + 1))
    ends = marks - _break_sizes(data, marks, options, columns)
    sizes = ends - begins
    in_quotes = (sizes > 0) & (data[begins] == ord(options.quote))
    doubled = _doubled(block, ends, in_quotes)
    begins, ends = begins + in_quotes, ends - in_quotes
    # Between two fields lies what separates them: every second cell of this array is a field.
    cuts = np.stack((begins, ends), axis=1).reshape(-1)
    every = from_layout(data, cuts, OCTETS)
    null = ~in_quotes & (ends - begins == len(options.null_string.encode()))
    found = []
    for column in range(columns):
        own = slice(column, None, columns)
        cells = every.take(pa.array(np.arange(2 * column, len(cuts), 2 * columns)))
        if doubled[own].any():
            mask = pa.array(doubled[own])
            quote = options.quote
            cells = pc.replace_with_mask(cells, mask, pc.replace_substring(cells.filter(mask), quote * 2, quote))
        if null[own].any():
            nulls = pa.array(null[own])
            if options.null_string:
                nulls = pc.and_(nulls, pc.equal(cells, pa.scalar(options.null_string.encode(), OCTETS)))
            cells = pc.if_else(nulls, pa.scalar(None, OCTETS), cells)
        found.append(cells)
    return found


def _break_sizes(data: Bytes, marks: Offsets, options: CsvOptions, columns: int) -> Offsets:
    """Return how many characters of the line break stand before each mark."""
    sizes = np.zeros(len(marks), np.int64)
    if options.line_end == "crlf":
        last = marks[columns - 1 :: columns]
        if (data[np.maximum(last - 1, 0)] != ord("\r")).any():
            msg = "a line ends without a carriage return"
            raise ValueError(msg)
        sizes[columns - 1 :: columns] = 1
    return sizes


def _doubled(block: _Block, ends: Offsets, in_quotes: Flags) -> Flags:
    """Return which fields hold quotes, after looking whether all quotes are where they may be."""
    counts = np.diff(block.passed, prepend=0)
    last = block.passed - 1
    first = last - counts + 1
    sound = not (counts[~in_quotes].any() or (counts[in_quotes] < 2).any())
    if sound and in_quotes.any():
        inner = np.ones(len(block.quotes), np.bool_)
        inner[first[in_quotes]] = inner[last[in_quotes]] = False
        pairs = block.quotes[inner].reshape(-1, 2)
        sound = bool((block.quotes[last[in_quotes]] == ends[in_quotes] - 1).all() and (np.diff(pairs) == 1).all())
    if not sound:
        msg = "a quote stands where none may be"
        raise ValueError(msg)
    doubled: Flags = counts > 2
    return doubled


def _uneven(block: _Block, columns: int, before: int) -> str:
    breaks = np.flatnonzero(block.data[block.marks] == _NEWLINE)
    counts = np.diff(breaks, prepend=-1)
    at = int(np.flatnonzero(counts != columns)[0])
    return f"record {before + at + 1} has {counts[at]} fields instead of {columns}"
