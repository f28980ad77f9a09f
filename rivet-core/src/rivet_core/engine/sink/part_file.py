"""One part's local file, from its exclusive creation to its digests on a synced file, or to its removal."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from rivet_core.engine.sink.hashing_file import HashingFile
from rivet_core.engine.sink.row_group import joined
from rivet_core.errors import EnvironmentFailure
from rivet_core.manifest.fingerprint import ContentFingerprint
from rivet_core.protocols import Format, GroupWriter

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class PartFile:
    """A file that is being written; exactly one of :meth:`finish` and :meth:`abort` ends it.

    :param folder: exists; the file gets a name in it that no other attempt or process uses.
    :param stem: readable part of that name.
    """

    def __init__(self, *, folder: Path, stem: str, format: Format, schema: pa.Schema) -> None:  # noqa: A002
        self.path = folder / f".{stem}-{secrets.token_hex(8)}.{format.extension}"
        try:
            # Closed by finish or abort, not by a block: the file outlives this call.
            self._file = self.path.open("xb")
        except OSError as error:
            raise _unwritable(folder, error) from error
        self._out = HashingFile(self._file, self.path)
        try:
            with self._disk_errors():
                self._writer = format.writer(cast("BinaryIO", self._out), schema)
        except BaseException:
            self._remove()
            raise

    def write(self, pieces: list[pa.RecordBatch]) -> None:
        """Append a row group that comes in pieces, which are the file's from now on."""
        with self._disk_errors():
            if isinstance(self._writer, GroupWriter):
                self._writer.write_group(pieces)
            else:
                self._writer.write(joined(pieces))

    def finish(self) -> ContentFingerprint:
        """Complete, sync and close the file; it is removed when that fails.

        :raises EnvironmentFailure: ``RIVET_DEST_FULL`` when the disk is full.
        """
        try:
            with self._disk_errors():
                self._writer.finish()
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                return self._out.fingerprint()
        except BaseException:
            # Else a writer may try to complete its file once more when it is collected.
            with suppress(Exception):
                self._writer.abort()
            self._remove()
            raise

    def abort(self) -> None:
        """Give the file up and remove it."""
        try:
            self._writer.abort()
        finally:
            self._remove()

    def _remove(self) -> None:
        # A full disk fails the last flush again; the descriptor is closed all the same.
        with suppress(OSError):
            self._file.close()
        self.path.unlink(missing_ok=True)

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            cause = error if isinstance(error, OSError) else self._out.failure
            if cause is not None and cause.errno in _FULL:
                raise _full(self.path.parent) from error
            raise


def _full(folder: Path) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"there is no space left in the staging folder {folder}",
        code="RIVET_DEST_FULL",
        remedy="Free space there, or choose another staging folder, and run the same command again: it resumes.",
    )


def _unwritable(folder: Path, error: OSError) -> EnvironmentFailure:
    if error.errno in _FULL:
        return _full(folder)
    return EnvironmentFailure(
        f"no file can be made in the staging folder {folder}: {error.strerror}",
        code="RIVET_DEST_NOT_WRITABLE",
        remedy="Let this user write there, or choose another staging folder.",
    )
