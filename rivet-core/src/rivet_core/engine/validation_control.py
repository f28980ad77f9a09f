"""Reads control objects and listings of one dataset's prefix; what cannot be read becomes a failure to report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from rivet_core.errors import RivetError
from rivet_core.manifest.codec import decode
from rivet_core.manifest.marker import MARKER_LIMIT
from rivet_core.manifest.model import Manifest
from rivet_core.manifest.names import CONTROL_LIMIT, SUCCESS, is_run_manifest
from rivet_core.manifest.report import Failure, FailureKind
from rivet_core.types import ObjectInfo, reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rivet_core.protocols import Destination


class ReadFailed(Exception):
    """Something at the prefix could not be read; carries the failure for the report."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


@attrs.frozen(kw_only=True)
class Found:
    """A manifest, with the exact bytes that it was read from."""

    name: str
    data: bytes
    manifest: Manifest


@attrs.frozen(kw_only=True)
class Control:
    """One dataset's prefix at a destination; names and listings are relative to it.

    :param prefix: below the destination's own, empty or ending in ``/``.
    """

    destination: Destination
    prefix: str

    def get(self, name: str, kind: FailureKind) -> bytes | None:
        """Return a control object's bytes, or None when it is absent.

        :param kind: the failure when it cannot be read.
        :raises ReadFailed: also when it is too large.
        """
        limit = MARKER_LIMIT if name == SUCCESS else CONTROL_LIMIT
        try:
            return self.destination.get(f"{self.prefix}{name}", limit)
        except Exception as error:
            raise ReadFailed(failure_of(kind, f"{name} cannot be read", error)) from error

    def decode(self, name: str, data: bytes) -> Found:
        """Return a manifest.

        :raises ReadFailed: when it is none.
        """
        try:
            return Found(name=name, data=data, manifest=decode(data, name))
        except RivetError as error:
            failure = Failure(kind=FailureKind.MANIFEST_INCONSISTENT, detail=error.message)
            raise ReadFailed(failure) from error

    def listing(self) -> dict[str, ObjectInfo]:
        """Return every object below the prefix by its name from there.

        :raises ReadFailed: when the prefix cannot be listed.
        """
        try:
            found = [
                (info.key.removeprefix(self.prefix), info) for info in self.destination.list(self.prefix.rstrip("/"))
            ]
        except Exception as error:
            raise ReadFailed(failure_of(FailureKind.UNLISTED, "the prefix cannot be listed", error)) from error
        return {name: attrs.evolve(info, key=name) for name, info in found}

    def run_manifests(self, listed: Mapping[str, ObjectInfo] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield names and bytes of the runs' own manifests, one at a time.

        :param listed: a listing at hand; taken anew when None.
        """
        for name in sorted(self.listing() if listed is None else listed):
            if is_run_manifest(name):
                data = self.get(name, FailureKind.MANIFEST_UNREAD)
                if data is not None:
                    yield name, data


def failure_of(kind: FailureKind, what: str, error: Exception) -> Failure:
    """Return the failure for an exception of a plugin, secrets masked."""
    return Failure(kind=kind, detail=f"{what}: {reason(error)}")
