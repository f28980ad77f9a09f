"""Where the state file lies, and whether it may lie there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rivet_core.errors import Place, RefusalError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The state file's name beside the configuration; the Rust tool's is ``.rivet_state.db``.
STATE_FILE: Final = ".rivet-state.sqlite"
#: The Rust tool's.
FOREIGN_STATE_FILE: Final = ".rivet_state.db"

_NETWORK: Final = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone",
        "fuse.s3fs", "fuse.sshfs", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "pvfs2", "smb3", "smbfs",
    }
)  # fmt: skip


def state_path(config: Path, environment: Mapping[str, str]) -> Path:
    """Return the state file of a configuration: beside it, or where ``RIVET_STATE_URL`` says.

    :raises UsageError: for a URL that is not ``sqlite:``.
    """
    url = environment.get("RIVET_STATE_URL", "")
    if not url:
        return config.resolve().parent / STATE_FILE
    if not url.startswith("sqlite:"):
        msg = f"RIVET_STATE_URL has the scheme {url.partition(':')[0]!r}, and the state is kept in SQLite only"
        raise UsageError(msg, code="RIVET_CLI_VALUE_INVALID", remedy="use sqlite:<path>, or unset RIVET_STATE_URL")
    path = url.removeprefix("sqlite:")
    return Path(path.removeprefix("//") if path.startswith("///") else path).absolute()


def filesystem_type(path: Path, mounts: str) -> str | None:
    """Return the type of the file system that holds a path.

    :param path: absolute and resolved.
    :param mounts: the text of ``/proc/self/mounts``.
    """
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        folder = Path(fields[1].replace(r"\040", " ").replace(r"\134", "\\"))
        if path.is_relative_to(folder) and (best is None or len(folder.parts) >= best[0]):
            best = (len(folder.parts), fields[2])
    return best[1] if best else None


def refuse_network_filesystem(path: Path, mounts: str | None = None) -> None:
    """Refuse a state file whose locks would not be freed, or not be seen, across machines.

    :param mounts: for tests; by default what the system says. Where it says nothing, nothing is refused.
    :raises RefusalError: ``RIVET_STATE_NETWORK_FILESYSTEM``.
    """
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return
    kind = filesystem_type(Path(os.path.realpath(path)), mounts)
    if kind in _NETWORK:
        msg = f"the state file lies on a network file system ({kind}), where locks cannot be trusted"
        raise RefusalError(
            msg,
            code="RIVET_STATE_NETWORK_FILESYSTEM",
            place=Place(file=str(path)),
            remedy="put it on a local disk: RIVET_STATE_URL=sqlite:/local/path",
        )
