"""Exact text for a value of any storage class.

Integers in decimal, reals as the shortest text that reads back as the same real (``inf`` for the infinities), text as
it is, blobs as lowercase hex. Which storage class a value had is not kept.
"""

from __future__ import annotations

from binascii import hexlify

import pyarrow as pa
import pyarrow.compute as pc

from rivet_core.sources.sqlite.storage import Values, split


def exact_text(values: Values) -> pa.Array:
    """Return the values as text."""
    pieces = [_text(kind, column) for kind, column in split(values).items()]
    if not pieces:
        return pa.nulls(len(values), pa.utf8())
    return pieces[0] if len(pieces) == 1 else pc.coalesce(*pieces)


def _text(kind: type, values: Values) -> pa.Array:
    if kind is int:
        return pa.array(values, pa.int64()).cast(pa.utf8())
    if kind is float:
        return pa.array(values, pa.float64()).cast(pa.utf8())
    if kind is bytes:
        return _hex(pa.array(values, pa.binary()))
    return pa.array(values, pa.utf8())


def _hex(blobs: pa.Array) -> pa.Array:
    """Return hex text: two digits a byte, so that the offsets double and no cell is touched by itself."""
    _, starts, data = blobs.buffers()
    offsets = pa.Array.from_buffers(pa.int32(), len(blobs) + 1, [None, starts])
    digits = hexlify(memoryview(data)[: offsets[-1].as_py()]) if data else b""
    doubled = pc.multiply(offsets, pa.scalar(2, pa.int32())).buffers()[1]
    texts = pa.Array.from_buffers(pa.utf8(), len(blobs), [None, doubled, pa.py_buffer(digits)])
    return pc.if_else(pc.is_valid(blobs), texts, pa.scalar(None, pa.utf8()))
