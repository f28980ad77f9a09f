"""Which shape of dataset a prefix holds already, so that batches and changes are never mixed in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivet_core.errors import Place, RefusalError
from rivet_core.manifest.codec import decode
from rivet_core.manifest.model import Mode
from rivet_core.manifest.names import CONTROL_LIMIT, MANIFEST, is_run_manifest

if TYPE_CHECKING:
    from rivet_core.protocols import Destination


def prefix_mode(destination: Destination, prefix: str = "") -> Mode | None:
    """Return the shape of the dataset at a prefix, or None when it holds no manifest.

    Without a canonical manifest a run's own one tells: a stream that never ended has nothing else.

    :param prefix: below the destination's own, empty or ending in ``/``.
    :raises RefusalError: ``RIVET_DEST_CONTROL_ARTIFACT_INVALID`` when a manifest cannot be understood.
    """
    data = destination.get(f"{prefix}{MANIFEST}", CONTROL_LIMIT)
    if data is not None:
        return decode(data, MANIFEST).mode
    for info in destination.list(prefix.rstrip("/")):
        name = info.key.removeprefix(prefix)
        if is_run_manifest(name):
            data = destination.get(info.key, CONTROL_LIMIT)
            if data is not None:
                return decode(data, name).mode
    return None


def guard_prefix_mode(destination: Destination, mode: Mode, prefix: str = "") -> None:
    """Refuse to write a dataset of one shape over one of the other.

    :raises RefusalError: ``RIVET_DEST_PREFIX_MODE_MISMATCH``.
    """
    present = prefix_mode(destination, prefix)
    if present is None or present is mode:
        return
    msg = f"the prefix {destination.uri()}{prefix} holds a {present.value} dataset, and this export writes {mode.value}"
    raise RefusalError(
        msg,
        code="RIVET_DEST_PREFIX_MODE_MISMATCH",
        place=Place(value=f"{destination.uri()}{prefix}"),
        remedy="give the export a prefix of its own",
    )
