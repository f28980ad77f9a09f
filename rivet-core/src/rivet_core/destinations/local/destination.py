"""A folder as a destination: staged beside the objects, synced, then renamed into place."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat as modes
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from rivet_core.destinations.local import faults
from rivet_core.destinations.local.folders import Folders, sync_file, sync_folder
from rivet_core.destinations.local.keys import STAGING, path_of
from rivet_core.destinations.local.listing import objects_below
from rivet_core.destinations.local.publish import publish
from rivet_core.errors import EnvironmentFailure, RefusalError
from rivet_core.types import ObjectInfo, PutReceipt, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rivet_core.destinations.local.options import LocalOptions


class LocalDestination:
    """One folder; several threads and processes may use it at a time.

    Nothing but the folder is remembered: every look is a fresh one.
    """

    def __init__(self, options: LocalOptions) -> None:
        self._root = Path(os.path.realpath(options.path))
        self._folders = Folders(self._root)

    def put(self, key: str, path: Path, *, create: bool) -> PutReceipt:
        final = path_of(self._root, key)
        with faults.translated(key, self._root):
            self._folders.ensure(final.parent)
            size = sync_file(path)
            try:
                publish(path, final, create=create)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                self._copy(path, final, create=create)
            sync_folder(final.parent)
        return PutReceipt(key=key, size=size)

    def put_bytes(self, key: str, data: bytes, *, create: bool) -> PutReceipt:
        final = path_of(self._root, key)
        with faults.translated(key, self._root):
            self._folders.ensure(final.parent)
            staged = self._staged()
            try:
                staged.write_bytes(data)
                sync_file(staged)
                publish(staged, final, create=create)
            finally:
                staged.unlink(missing_ok=True)
            sync_folder(final.parent)
        return PutReceipt(key=key, size=len(data))

    def get(self, key: str, limit: int) -> bytes | None:
        path = path_of(self._root, key)
        if self.stat(key) is None:
            return None
        with faults.translated(key, self._root), path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            msg = f"{key} at {self._root} is larger than {limit} bytes, which no control object is"
            raise RefusalError(
                msg, code="RIVET_DEST_CONTROL_ARTIFACT_INVALID", remedy="Look at the file; something else wrote it."
            )
        return data

    def download(self, key: str, path: Path) -> None:
        source = path_of(self._root, key)
        if self.stat(key) is None:
            msg = f"there is no object {key} at {self._root}"
            remedy = "Find out who removed it: what is recorded here as written is not there any more."
            raise EnvironmentFailure(msg, code="RIVET_DEST_IO_FAILED", remedy=remedy)
        with path.open("xb") as copy:
            try:
                with faults.translated(key, self._root), source.open("rb") as found:
                    shutil.copyfileobj(found, copy, 1 << 20)
            except BaseException:
                path.unlink(missing_ok=True)
                raise

    def stat(self, key: str) -> ObjectInfo | None:
        path = path_of(self._root, key)
        with faults.translated(key, self._root):
            try:
                found = path.lstat()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return ObjectInfo(key=key, size=found.st_size) if modes.S_ISREG(found.st_mode) else None

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        folder = prefix.strip("/")
        if folder:
            path_of(self._root, folder)
        with faults.translated(prefix or "the prefix", self._root):
            yield from objects_below(self._root, folder)

    def move(self, key: str, to: str) -> None:
        source, final = path_of(self._root, key), path_of(self._root, to)
        if self.stat(key) is None:
            return
        with faults.translated(key, self._root):
            self._folders.ensure(final.parent)
            source.replace(final)
            sync_folder(final.parent)
            sync_folder(source.parent)

    def remove(self, key: str) -> None:
        path = path_of(self._root, key)
        if self.stat(key) is None:
            return
        with faults.translated(key, self._root):
            try:
                path.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return
            sync_folder(path.parent)

    def staging(self) -> Path | None:
        folder = self._root / STAGING
        with faults.translated(STAGING, self._root):
            self._folders.ensure(folder)
        return folder

    def uri(self) -> str:
        return self._root.as_uri().rstrip("/") + "/" if self._root != Path("/") else "file:///"

    def verdict(self, error: BaseException) -> Verdict:
        return faults.verdict(error)

    def close(self) -> None:
        """Nothing is held open between calls."""

    def _staged(self) -> Path:
        folder = self._root / STAGING
        self._folders.ensure(folder)
        return folder / f"{uuid.uuid4().hex}.tmp"

    def _copy(self, path: Path, final: Path, *, create: bool) -> None:
        """Publish a file of another file system: a copy beside the objects makes the last step a rename again."""
        staged = self._staged()
        try:
            shutil.copyfile(path, staged)
            sync_file(staged)
            publish(staged, final, create=create)
        finally:
            staged.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            path.unlink()
