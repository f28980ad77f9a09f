"""A column's values as the text of a file's cells, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa

from rivet_core.formats.csv import hexadecimal, numeric, temporal
from rivet_core.formats.csv.laid_out import OCTETS, TEXT
from rivet_core.formats.csv.quoting import quoted

if TYPE_CHECKING:
    from rivet_core.formats.csv.options import CsvOptions

_UUID: Final = "arrow.uuid"
#: Extension types whose values are the text that they are stored as.
_TEXTS: Final = frozenset({"arrow.json"})


def objection(kind: pa.DataType) -> str | None:
    """Return why a column of a type has no exact text in a cell, or None."""
    if isinstance(kind, pa.BaseExtensionType):
        known = kind.extension_name == _UUID or (kind.extension_name in _TEXTS and _is_text(kind.storage_type))
        return None if known else f"{kind} has no text of its own"
    if pa.types.is_nested(kind):
        return f"{kind} does not fit into a cell"
    if pa.types.is_fixed_size_binary(kind):
        return f"{kind} of fixed width is told from no UUID"
    plain = _is_text(kind) or _is_octets(kind) or numeric.is_supported(kind) or temporal.is_supported(kind)
    return None if plain or pa.types.is_null(kind) else f"{kind} has no exact text"


def render(array: pa.Array, options: CsvOptions, *, opening: bool = False) -> pa.LargeStringArray:
    """Return the text of each cell as it stands in the file; NULL where there is none.

    :param array: of a type without an objection.
    :param opening: one of the cells may be the first in the file.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        if kind.extension_name == _UUID:
            return hexadecimal.render_uuids(array.storage)
        array = array.storage
        kind = array.type
    if _is_text(kind):
        return quoted(array.cast(TEXT), options, opening=opening)
    if _is_octets(kind):
        # No bytes are no NULL.
        return quoted(hexadecimal.render_bytes(array.cast(OCTETS)), options, opening=False)
    return temporal.render(array) if temporal.is_supported(kind) else numeric.render(array)


def parse(cells: pa.LargeStringArray, kind: pa.DataType) -> pa.Array:
    """Return the values of cells out of which a file's quotes are taken already.

    :raises ValueError: when a cell is no value of the type.
    """
    if isinstance(kind, pa.BaseExtensionType):
        storage = hexadecimal.parse_uuids(cells) if kind.extension_name == _UUID else parse(cells, kind.storage_type)
        return pa.ExtensionArray.from_storage(kind, storage)
    if _is_text(kind):
        return cells.cast(kind)
    if _is_octets(kind):
        return hexadecimal.parse_bytes(cells).cast(kind)
    return temporal.parse(cells, kind) if temporal.is_supported(kind) else numeric.parse(cells, kind)


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_octets(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind))
