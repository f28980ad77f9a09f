"""A destination that can only put: no look, no listing, no way back."""

from __future__ import annotations

import hashlib
import os
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import attrs

from rivet_core.capabilities import DestinationCapabilities
from rivet_core.hookspecs import DestinationType, hookimpl
from rivet_core.types import PutReceipt, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.types import ObjectInfo


@attrs.frozen(kw_only=True)
class PutOnlyOptions:
    """Where the mailbox is."""

    folder: Path


class PutOnly:
    """A mailbox; its receipts carry the digest of what arrived."""

    def __init__(self, options: PutOnlyOptions) -> None:
        self._folder = options.folder

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        """Deliver a file."""
        return self.put_bytes(key, path.read_bytes(), create=create)

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        """Deliver bytes, whole."""
        del create
        target = self._folder / key
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.replace(target)
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        return PutReceipt(key=key, size=len(data), md5=b64encode(digest).decode())

    def _cannot(self) -> NoReturn:
        msg = "this destination can only put; whoever called did not look at its capabilities"
        raise AssertionError(msg)

    def get(self, key: str, limit: int) -> bytes | None:
        """Cannot."""
        del key, limit
        self._cannot()

    def download(self, key: str, path: Path) -> None:
        """Cannot."""
        del key, path
        self._cannot()

    def stat(self, key: str) -> ObjectInfo | None:
        """Cannot."""
        del key
        self._cannot()

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Cannot."""
        del prefix
        self._cannot()

    def move(self, key: str, to: str) -> None:
        """Cannot."""
        del key, to
        self._cannot()

    def staging(self) -> Path | None:
        """Has none."""
        return None

    def uri(self) -> str:
        """Return the address."""
        return f"{self._folder.as_uri()}/"

    def verdict(self, error: BaseException) -> Verdict:
        """Nothing here is worth another try."""
        del error
        return Verdict.FATAL

    def close(self) -> None:
        """Nothing is open."""


DESTINATION = DestinationType(
    kind="stretch_put_only",
    options=PutOnlyOptions,
    capabilities=DestinationCapabilities(readable=False, conditional_create=False, md5=True),
    factory=PutOnly,
    prefix="folder",
)


@hookimpl
def rivet_destinations() -> list[DestinationType]:
    """Declare the destination."""
    return [DESTINATION]
