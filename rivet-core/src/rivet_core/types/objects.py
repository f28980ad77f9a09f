"""What a destination tells of the objects it holds."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class PutReceipt:
    """Proof that an object is whole and durable under its final key.

    :param size: bytes, as the destination has them.
    :param etag: the store's own version tag, if it has one; opaque.
    :param md5: base64 MD5 as computed by the store itself, or None: never ours echoed back.
    """

    key: str
    size: int
    etag: str | None = None
    md5: str | None = None


@attrs.frozen(kw_only=True)
class ObjectInfo:
    """One object as a fresh look at the destination shows it; fields as in :class:`PutReceipt`."""

    key: str
    size: int
    etag: str | None = None
    md5: str | None = None
