"""Which texts stand in quotes: those that would be misread without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.formats.csv.laid_out import TEXT, joined, laid_out

if TYPE_CHECKING:
    from rivet_core.formats.csv.options import CsvOptions

#: Of what readers take for a mark of the encoding at the beginning of a file.
_FIRST_OF_MARK: Final = 0xEF


def quoted(cells: pa.LargeStringArray, options: CsvOptions, *, opening: bool) -> pa.LargeStringArray:
    """Return texts as they stand in a file.

    In quotes are a text with a delimiter, a quote or a part of a line break in it, the empty text, and the one that
    would be NULL. Nothing else is changed, so that a formula stays a formula.

    :param opening: one of them may be the first in the file.
    """
    needed = _needed(cells, options, opening=opening)
    if not needed.any():
        return cells
    everywhere = bool(needed.all())
    mask = pa.array(needed)
    chosen = cells if everywhere else cells.filter(mask)
    quote = options.quote
    wrapped = joined(quote, pc.replace_substring(chosen, quote, quote * 2), quote)
    return wrapped if everywhere else pc.replace_with_mask(cells, mask, wrapped)


def _needed(cells: pa.LargeStringArray, options: CsvOptions, *, opening: bool) -> npt.NDArray[np.bool_]:
    data, offsets = laid_out(cells)
    sizes = np.diff(offsets)
    needed = sizes == 0
    if cells.null_count:
        needed &= cells.is_valid().to_numpy(zero_copy_only=False)
    special = (data == ord("\n")) | (data == ord("\r"))
    for byte in (ord(options.delimiter), ord(options.quote), *([_FIRST_OF_MARK] if opening else ())):
        special |= data == byte
    if special.any():
        filled = np.flatnonzero(sizes)
        needed[filled] |= np.logical_or.reduceat(special, offsets[:-1][filled])
    if options.null_string:
        equal = pc.equal(cells, pa.scalar(options.null_string, TEXT))
        needed |= pc.fill_null(equal, False).to_numpy(zero_copy_only=False)  # noqa: FBT003 - Arrow's own signature
    found: npt.NDArray[np.bool_] = needed
    return found
