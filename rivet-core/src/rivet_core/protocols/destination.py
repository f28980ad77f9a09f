"""The destination: where parts and manifests become durable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rivet_core.types import ObjectInfo, PutReceipt, Verdict


@runtime_checkable
class Destination(Protocol):
    """A configured place for objects: one export's prefix.

    Keys are relative to the prefix, separated by ``/``, without ``.``, ``..`` or empty segments.
    Methods may be called from several threads at a time. Nothing is cached: a look is a fresh look.
    """

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        """Make a local file the object ``key``; whole and durable on return, nothing new visible on failure.

        The file may be moved away (see :meth:`staging`).

        :param create: refuse when the object is there (``RIVET_DEST_OBJECT_EXISTS``).
        """

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        """Make these bytes the object ``key``, as :meth:`put` does; replacing is whole."""

    def get(self, key: str, limit: int) -> bytes | None:
        """Return a control object's bytes, or None when it is absent.

        :raises RivetError: ``RIVET_DEST_CONTROL_ARTIFACT_INVALID`` when it is larger than ``limit`` bytes.
        """

    def download(self, key: str, path: Path) -> None:
        """Copy an object to a local file that does not exist yet."""

    def stat(self, key: str) -> ObjectInfo | None:
        """Return what is there, or None."""

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object below a prefix; ``a/b`` does not list ``a/bc``. An absent prefix is empty."""

    def move(self, key: str, to: str) -> None:
        """Move an object to another key, for quarantine; an absent object is not an error."""

    def staging(self) -> Path | None:
        """Return a folder from which :meth:`put` is a rename, made when absent, or None."""

    def uri(self) -> str:
        """Return the prefix's public address, for leases, manifests and reports.

        One spelling a place, free of secrets, ending in ``/``.
        """

    def verdict(self, error: BaseException) -> Verdict:
        """Return whether trying again can help after an error of this destination."""

    def close(self) -> None:
        """Close everything; safe to call again."""


@runtime_checkable
class RemovableDestination(Protocol):
    """A destination from which single objects can be removed, for probes and clean-up."""

    def remove(self, key: str) -> None:
        """Remove an object; an absent one is not an error."""
