"""The folder in which a run's parts are made: per run and grant, so that a dead process's leftovers are known."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rivet_core.errors import EnvironmentFailure, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.protocols import Destination


@contextmanager
def staging_folder(destination: Destination, wished: Path | None, run_id: str, token: int) -> Iterator[Path]:
    """Make the folder, and remove it with everything in it at the end.

    What earlier processes left of the same run is removed first; this process holds the run's lease.

    :param wished: the user's folder, for destinations that have none of their own; None is the system's.
    """
    root = _root(destination, wished)
    folder = root / f"{run_id}.{token}"
    try:
        remove_leftovers(destination, wished, run_id)
        folder.mkdir(parents=True)
    except OSError as error:
        msg = f"parts cannot be made in the staging folder: {error.strerror}"
        raise EnvironmentFailure(
            msg, code="RIVET_DEST_NOT_WRITABLE", place=Place(file=str(root)), remedy="make it a writable folder"
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers(destination: Destination, wished: Path | None, run_id: str) -> None:
    """Remove what dead processes left of a run; the caller holds the run's lease. An absent folder is empty."""
    for left in _root(destination, wished).glob(f"{run_id}.*"):
        shutil.rmtree(left, ignore_errors=True)


def _root(destination: Destination, wished: Path | None) -> Path:
    return destination.staging() or wished or Path(tempfile.gettempdir())
