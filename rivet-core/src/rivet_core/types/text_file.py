"""Small text files that a person writes: UTF-8 with or without a mark at its start, and never more than a limit."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO, Final

_KINDS: Final = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISCHR, "it is a device"),
    (stat.S_ISBLK, "it is a device"),
    (stat.S_ISSOCK, "it is a socket"),
)


class TextUnreadable(Exception):
    """A file that holds no such text.

    :param reason: why, without the file's name.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_text_file(path: Path | str, *, limit: int) -> str:
    """Return the text of a file or a pipe, without the byte order mark.

    :param limit: bytes; no more than one beyond it is read.
    :raises TextUnreadable: for all other kinds of files, too.
    """
    try:
        # Looked at before it is opened: opening some devices does something.
        mode = Path(path).stat().st_mode
        for is_kind, reason in _KINDS:
            if is_kind(mode):
                raise TextUnreadable(reason)
        with Path(path).open("rb") as file:
            data = _up_to(file, limit + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise TextUnreadable(why or "its name cannot be that of a file") from error
    if len(data) > limit:
        msg = f"it is larger than {limit} bytes"
        raise TextUnreadable(msg)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        msg = "it is not UTF-8 text"
        raise TextUnreadable(msg) from None


def _up_to(file: BinaryIO, size: int) -> bytes:
    """Return what a file holds; a pipe hands its bytes over in pieces."""
    pieces = []
    while size > 0 and (piece := file.read(min(size, 1 << 20))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
