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
from rivet_core.errors import EnvironmentFailure, InternalError, RivetError
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
        self._rows = 0
        try:
            with self._disk_errors():
                self._writer = format.writer(cast("BinaryIO", self._out), schema)
        except BaseException:
            self._remove()
            raise

    def write(self, pieces: list[pa.RecordBatch]) -> None:
        """Append a row group that comes in pieces, which are the file's from now on."""
        self._rows += sum(piece.num_rows for piece in pieces)
        with self._disk_errors():
            if isinstance(self._writer, GroupWriter):
                self._writer.write_group(pieces)
            else:
                self._writer.write(joined(pieces))

    def finish(self) -> ContentFingerprint:
        """Complete, sync and close the file; it is removed when that fails.

        :raises EnvironmentFailure: ``RIVET_DEST_FULL`` when the disk is full, ``RIVET_DEST_NOT_WRITABLE`` when it lost
            something that was written, even if the format kept the error to itself.
        :raises InternalError: ``RIVET_INTERNAL_CONTRACT`` when the format did not write what it was given.
        """
        try:
            with self._disk_errors():
                claimed = self._writer.size()
                self._writer.finish()
                self._file.flush()
                os.fsync(self._file.fileno())
                size = os.fstat(self._file.fileno()).st_size
                self._file.close()
                content = self._out.fingerprint()
        except BaseException:
            # Else a writer may try to complete its file once more when it is collected.
            with suppress(Exception):
                self._writer.abort()
            self._remove()
            raise
        fault = self._fault(content.size_bytes, size=size, claimed=claimed)
        if fault is not None:
            self._remove()
            raise fault
        return content

    def abort(self) -> None:
        """Give the file up and remove it."""
        try:
            self._writer.abort()
        finally:
            self._remove()

    def _fault(self, written: int, *, size: int, claimed: int) -> RivetError | None:
        """Return why the file cannot hold its rows, since nobody would look at it again before it is loaded.

        :param written: the bytes that went through to the file.
        :param size: the bytes that lie there.
        :param claimed: the bytes that the format says it wrote.
        """
        failure = self._out.failure
        if failure is not None:
            return _full(self.path.parent) if failure.errno in _FULL else _unwritten(failure.strerror)
        if size < written:
            return _unwritten(f"it has {size} bytes where {written} were written")
        if size < claimed:
            return _lost(f"the format says that it wrote {claimed} bytes of a part, and the file has {size}")
        if self._rows and not size:
            return _lost(f"the format wrote nothing for {self._rows} row{'s' * (self._rows > 1)} of a part")
        return None

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
        remedy="Free space there, or choose another staging folder, and run the same command again: "
        "nothing that was recorded is read again.",
    )


def _unwritten(reason: str | None) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"a part's file is not whole: {reason}",
        code="RIVET_DEST_NOT_WRITABLE",
        remedy="Look at the staging folder's disk, or choose another one, and run the same command again: "
        "nothing that was recorded is read again.",
    )


def _lost(message: str) -> InternalError:
    return InternalError(
        message, code="RIVET_INTERNAL_CONTRACT", remedy="Report it to the authors of the format's plugin."
    )


def _unwritable(folder: Path, error: OSError) -> EnvironmentFailure:
    if error.errno in _FULL:
        return _full(folder)
    return EnvironmentFailure(
        f"no file can be made in the staging folder {folder}: {error.strerror}",
        code="RIVET_DEST_NOT_WRITABLE",
        remedy="Let this user write there, or choose another staging folder.",
    )
