"""What ``rivet doctor`` asks this machine: foreign packages of our name, folders to write in, space."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rivet_core.engine.report_text import bytes_text
from rivet_core.errors import EnvironmentFailure, Place, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Other people's distributions that bring a package or a command called ``rivet``.
FOREIGN: Final = ("rivet", "rivet-cli")
#: Less than this at the staging folder is worth an error: a part is made there before it is put.
LEAST_SPACE: Final = 1024**3


def now() -> datetime:
    """Return the clock."""
    return datetime.now(UTC)


def foreign_packages() -> str:
    """Look for another ``rivet`` in this environment, which could shadow files or the command.

    :raises UsageError: naming it.
    """
    found = []
    for name in FOREIGN:
        try:
            found.append(f"the distribution {name} {version(name)}")
        except PackageNotFoundError:
            continue
    spec = importlib.util.find_spec("rivet")
    if spec is not None:
        found.append(f"a package rivet at {spec.origin or 'an unknown place'}")
    if found:
        msg = f"another rivet is here: {'; '.join(found)}"
        raise UsageError(
            msg,
            code="RIVET_CLI_PREFLIGHT_FAILED",
            remedy="give rivet-core an environment of its own",
        )
    command = shutil.which("rivet")
    ours = Path(sys.executable).with_name("rivet")
    if command is not None and ours.exists() and Path(command).resolve() != ours.resolve():
        return f"no other package is called rivet; the PATH leads to {command}, and this is {ours}"
    return "no other package or command is called rivet"


def staging(environ: Mapping[str, str]) -> str:
    """Look at the folder in which parts are made for destinations that have none of their own.

    :raises EnvironmentFailure: when it cannot be written, or is nearly full.
    """
    folder = Path(environ.get("RIVET_STAGING") or tempfile.gettempdir())
    try_folder(folder, "RIVET_DEST_NOT_WRITABLE")
    free = shutil.disk_usage(folder).free
    if free < LEAST_SPACE:
        msg = f"{bytes_text(free)} are free in the staging folder"
        raise EnvironmentFailure(
            msg,
            code="RIVET_DEST_FULL",
            place=Place(file=str(folder)),
            remedy="free some space, or point RIVET_STAGING to another folder",
        )
    return f"{folder}, {bytes_text(free)} free"


def try_folder(folder: Path, code: str) -> None:
    """Make and remove a file in a folder.

    :raises EnvironmentFailure: with this code, when that is not possible.
    """
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        msg = f"nothing can be written in the folder: {error.strerror}"
        raise EnvironmentFailure(
            msg, code=code, place=Place(file=str(folder)), remedy="make the folder, or give it the rights"
        ) from error
