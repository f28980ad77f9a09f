"""A local file that knows its own digests, taken while it is written."""

from __future__ import annotations

import hashlib
import io
from base64 import b64encode
from pathlib import Path
from typing import IO, TYPE_CHECKING

import xxhash

from rivet_core.manifest.fingerprint import ContentFingerprint, content_fingerprint

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class HashingFile(io.RawIOBase):
    """Passes bytes on to a file and digests them; closing it leaves the file open.

    A writer that goes back costs a second pass over the file, since its bytes no longer come in order.

    :param path: where the file is, for that second pass.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        super().__init__()
        self._file = file
        self._path = path
        self._xxh3 = xxhash.xxh3_64()
        self._md5 = hashlib.md5(usedforsecurity=False)
        self._size = 0
        self._in_order = True
        #: The error that a write ended with, for formats that hide what went wrong below them.
        self.failure: OSError | None = None

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        place = self._file.seek(offset, whence)
        self._in_order = self._in_order and place == self._size
        return place

    def write(self, data: ReadableBuffer) -> int:
        view = memoryview(data).cast("B")
        try:
            self._file.write(view)
        except OSError as error:
            self.failure = error
            raise
        if self._in_order:
            self._xxh3.update(view)
            self._md5.update(view)
            self._size += view.nbytes
        return view.nbytes

    def flush(self) -> None:
        if self._file.closed:
            return
        try:
            self._file.flush()
        except OSError as error:
            self.failure = error
            raise

    def fingerprint(self) -> ContentFingerprint:
        """Return the digests of the file, which must be flushed."""
        if not self._in_order:
            return content_fingerprint(self._path)
        return ContentFingerprint(
            xxh3=f"xxh3:{self._xxh3.hexdigest()}",
            md5=b64encode(self._md5.digest()).decode("ascii"),
            size_bytes=self._size,
        )
